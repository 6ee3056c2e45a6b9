use wasmill::{Context, Error, NewRecord, Record, Result, Store};

use crate::Config;

pub(crate) fn state(record: Record, _: &Config, cx: &mut Context) -> Result {
    let words: Vec<&str> = record.text()?.split(' ').collect();
    let store = cx.store("state");
    match words[..] {
        ["put", key, value] => store.put(key, value)?,
        ["get", key] => emit(cx, "get", store.get(key)?)?,
        ["delete", key] => store.delete(key)?,
        ["count", key] => {
            let n = add(store, key.as_bytes())?;
            emit(cx, "count", Some(n))?;
        }
        ["scan", start, end] => {
            for entry in store.scan(bound(start), bound(end)) {
                let entry = entry?;
                emit(cx, "scan", Some([entry.key, entry.value].join(&b'=')))?;
            }
        }
        ["many", ref keys @ ..] => {
            for value in store.get_many(keys)? {
                emit(cx, "many", value)?;
            }
        }
        ["big", key, size] => store.put(key, "x".repeat(size.parse()?))?,
        _ => return Err(Error::new(format_args!("no command {}", words[0]))),
    }
    Ok(())
}

fn emit(cx: &mut Context, command: &str, value: Option<Vec<u8>>) -> Result {
    let record = NewRecord::null().with_key(command);
    match &value {
        Some(value) => cx.emit(record.with_value(value))?,
        None => cx.emit(record)?,
    }
    Ok(())
}

/// A bound of a scan; "-" is open.
fn bound(word: &str) -> &str {
    if word == "-" { "" } else { word }
}

/// Adds 1 to the number at a key, in decimal, and returns it.
fn add(store: Store, key: &[u8]) -> Result<Vec<u8>> {
    let n = match store.get(key)? {
        Some(n) => String::from_utf8(n)?.parse()?,
        None => 0_u64,
    };
    let next = (n + 1).to_string().into_bytes();
    store.put(key, &next)?;
    Ok(next)
}

pub(crate) fn count(record: Record, _: &Config, cx: &mut Context) -> Result {
    add(cx.store("state"), record.key().unwrap_or_default()).map(drop)
}

/// How many entries one call of end emits.
const PAGE: usize = 2;

pub(crate) fn counted(token: &[u8], cx: &mut Context) -> Result<Option<Vec<u8>>> {
    for (i, entry) in cx.store("state").scan(token, "").enumerate() {
        let entry = entry?;
        if i == PAGE {
            return Ok(Some(entry.key));
        }
        cx.emit(NewRecord::keyed(&entry.key, &entry.value))?;
    }
    Ok(None)
}
