use wasmill::{Batch, Context, Errno, Error, Flags, NewRecord, Record, Result};

use crate::Config;

pub(crate) fn echo(record: Record, _: &Config, cx: &mut Context) -> Result {
    Ok(cx.emit(record)?)
}

pub(crate) fn sizes(batch: &Batch, cx: &mut Context) -> Result {
    let size = |r: Record| r.key().unwrap_or_default().len() + r.bytes().len();
    let bytes: usize = batch.iter().map(size).sum();
    Ok(cx.emit(NewRecord::of(&format!("{} {bytes}", batch.len())))?)
}

pub(crate) fn outputs(record: Record, _: &Config, cx: &mut Context) -> Result {
    let name = record.text()?;
    let out = NewRecord::from(record)
        .with_headers(Default::default())
        .with_flags(Flags::NONE);
    match cx.emit_to(name, out) {
        Err(e) if e.errno == Errno::EBADF => Err(Error::new(format_args!("no output {name}"))),
        other => Ok(other?),
    }
}

pub(crate) fn fail(record: Record, _: &Config, cx: &mut Context) -> Result {
    let value = record.text()?;
    match value.split_once(' ') {
        Some(("fail", rest)) => {
            let (code, text) = rest.split_once(' ').unwrap_or((rest, ""));
            Err(Error::with_code(code.parse()?, text))
        }
        Some(("panic", text)) => panic!("{text}"),
        _ => Ok(cx.emit(NewRecord::of(value))?),
    }
}

pub(crate) fn flags(record: Record, _: &Config, cx: &mut Context) -> Result {
    let value = record.bytes();
    cx.emit(NewRecord::keyed("i", value).with_flags(Flags::INSERT))?;
    cx.emit(NewRecord::keyed("u", value).with_flags(Flags::UPDATE))?;
    cx.emit(NewRecord::delete("d"))?;
    Ok(())
}

pub(crate) fn time(record: Record, _: &Config, cx: &mut Context) -> Result {
    let out = NewRecord::of(record.bytes());
    let out = match record.text()? {
        "none" => out.without_time(),
        ms => out.at(ms.parse()?),
    };
    Ok(cx.emit(out)?)
}

pub(crate) fn harm(record: Record, _: &Config, cx: &mut Context) -> Result {
    match record.text()? {
        "loop" => loop {
            std::hint::spin_loop();
        },
        "oom" => {
            let mut hoard = Vec::new();
            loop {
                hoard.push(vec![1_u8; 1 << 20]);
            }
        }
        "exit" => std::process::exit(3),
        value => Ok(cx.emit(NewRecord::of(value))?),
    }
}
