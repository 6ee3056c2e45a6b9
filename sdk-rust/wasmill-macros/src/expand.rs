//! What the attribute writes: the exports of the module, beside the item.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Error, Item, ItemFn, ItemImpl};

pub(crate) fn step(args: TokenStream, item: TokenStream) -> TokenStream {
    let exports = match definition(&args, &item) {
        Ok(definition) => exports(&definition),
        Err(e) => e.to_compile_error(),
    };
    quote! { #item #exports }
}

/// The expression that says what the step is.
fn definition(args: &TokenStream, item: &TokenStream) -> Result<TokenStream, Error> {
    if !args.is_empty() {
        return Err(Error::new(args.span(), "wasmill::step takes no arguments"));
    }
    match syn::parse2::<Item>(item.clone())? {
        Item::Fn(f) => of_function(&f),
        Item::Impl(i) => of_impl(&i),
        other => Err(Error::new(
            other.span(),
            "wasmill::step belongs on a function or on an `impl Step for` block",
        )),
    }
}

fn of_function(f: &ItemFn) -> Result<TokenStream, Error> {
    let sig = &f.sig;
    if let Some(found) = &sig.asyncness {
        return Err(Error::new(
            found.span(),
            "a step is not async: the host calls it and waits",
        ));
    }
    if sig.generics.type_params().next().is_some() || sig.generics.const_params().next().is_some() {
        return Err(Error::new(
            sig.generics.span(),
            "a step has no type parameters",
        ));
    }
    if !(2..=3).contains(&sig.inputs.len()) {
        return Err(Error::new(
            sig.inputs.span(),
            "a step takes (record: Record, cx: &mut Context), or (record: Record, config: &Config, \
             cx: &mut Context), or the same with batch: &Batch",
        ));
    }
    let name = &sig.ident;
    Ok(quote! { #name })
}

fn of_impl(i: &ItemImpl) -> Result<TokenStream, Error> {
    let is_step = i
        .trait_
        .as_ref()
        .is_some_and(|t| t.0.segments.last().is_some_and(|s| s.ident == "Step"));
    if !is_step {
        return Err(Error::new(
            i.self_ty.span(),
            "wasmill::step belongs on an `impl Step for` block",
        ));
    }
    let name = &i.self_ty;
    Ok(quote! { <#name as ::wasmill::Step>::init })
}

/// The functions that the host calls, in a module alone: a native build has no
/// use for them, and two crates of one test could not both have them.
fn exports(definition: &TokenStream) -> TokenStream {
    quote! {
        #[cfg(target_family = "wasm")]
        const _: () = {
            #[unsafe(no_mangle)]
            extern "C" fn wasmill_abi_1() {}
            #[unsafe(no_mangle)]
            extern "C" fn wasmill_alloc(size: u32) -> *mut u8 {
                ::wasmill::__private::alloc(size)
            }
            #[unsafe(no_mangle)]
            extern "C" fn wasmill_init(ptr: *const u8, len: u32) -> i32 {
                ::wasmill::__private::init(ptr, len, #definition)
            }
            #[unsafe(no_mangle)]
            extern "C" fn wasmill_process(op: u32, ptr: *const u8, len: u32) -> i32 {
                ::wasmill::__private::process(op, ptr, len)
            }
        };
        #[cfg(not(target_family = "wasm"))]
        const _: () = ::wasmill::__private::is_definition(&#definition);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the compiler says of an item with the attribute.
    fn said(item: TokenStream) -> String {
        let all = step(TokenStream::new(), item).to_string();
        all.split_once("compile_error")
            .map_or(String::new(), |(_, e)| e.to_owned())
    }

    #[test]
    fn items_that_are_steps() {
        for item in [
            quote! { fn f(r: Record, cx: &mut Context) -> Result { Ok(()) } },
            quote! { pub(crate) fn f<'a>(r: Record<'a>, c: &Config, cx: &mut Context) -> Result { Ok(()) } },
            quote! { impl wasmill::Step for Count { } },
        ] {
            assert_eq!(said(item.clone()), "");
            let all = step(TokenStream::new(), item.clone()).to_string();
            assert!(
                all.starts_with(&item.to_string()) && all.contains("wasmill_process"),
                "{all}"
            );
        }
    }

    #[test]
    fn items_that_are_none() {
        for (item, want) in [
            (
                quote! { async fn f(r: Record, cx: &mut Context) {} },
                "not async",
            ),
            (
                quote! { fn f<T>(r: Record, cx: &mut Context) {} },
                "no type parameters",
            ),
            (
                quote! { fn f(r: Record) {} },
                "(record: Record, cx: &mut Context)",
            ),
            (quote! { impl Count {} }, "impl Step for"),
            (quote! { impl Clone for Count {} }, "impl Step for"),
            (quote! { struct Count; }, "on a function"),
        ] {
            let got = said(item.clone());
            assert!(got.contains(want), "{item}: {got}");
        }
        let got = step(
            quote! { x },
            quote! { fn f(r: Record, cx: &mut Context) {} },
        )
        .to_string();
        assert!(got.contains("takes no arguments"), "{got}");
    }
}
