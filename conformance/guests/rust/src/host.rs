use wasmill::{Context, Error, NewRecord, Record, Result};

use crate::Config;

/// Emits a record that has a value alone.
fn value(cx: &mut Context, text: String) -> Result {
    Ok(cx.emit(NewRecord::of(&text))?)
}

pub(crate) fn config(_: Record, config: &Config, cx: &mut Context) -> Result {
    let list: Vec<_> = config.list.iter().map(ToString::to_string).collect();
    let nothing = config.nothing.map_or("null".to_owned(), |n| n.to_string());
    value(cx, format!("text={}", config.text))?;
    value(cx, format!("number={}", config.number))?;
    value(cx, format!("list={}", list.join(",")))?;
    value(cx, format!("flag={}", config.flag))?;
    value(cx, format!("nothing={nothing}"))?;
    value(cx, format!("nested={}", config.nested.a.b))
}

pub(crate) fn log(record: Record, _: &Config, cx: &mut Context) -> Result {
    let line = record.text()?;
    let (level, text) = line.split_once(' ').unwrap_or((line, ""));
    match level {
        "debug" => cx.debug(text),
        "info" => cx.info(text),
        "warn" => cx.warn(text),
        "error" => cx.error(text),
        other => return Err(Error::new(format_args!("no level {other}"))),
    }
    value(cx, u8::from(cx.debug_enabled()).to_string())
}

pub(crate) fn metrics(record: Record, _: &Config, cx: &mut Context) -> Result {
    cx.counter("seen")?.add(1);
    cx.gauge("bytes")?.add(record.bytes().len().try_into()?);
    Ok(())
}

pub(crate) fn info(record: Record, _: &Config, cx: &mut Context) -> Result {
    let step = format!(
        "{} {} {} {} {} {} {}",
        cx.job(),
        cx.step(),
        cx.tenant(),
        cx.task(),
        cx.partitions(),
        cx.inputs().join(","),
        cx.outputs().join(","),
    );
    value(cx, step)?;
    let time = record.time().map_or("none".to_owned(), |t| t.to_string());
    let from = record.partition();
    let name = String::from_utf8_lossy(from.name);
    value(
        cx,
        format!(
            "{} {name} {} {} {time}",
            from.number,
            record.position(),
            record.stream()
        ),
    )
}

pub(crate) fn now(_: Record, _: &Config, cx: &mut Context) -> Result {
    for _ in 0..2 {
        let now = cx.now();
        value(cx, now.to_string())?;
    }
    Ok(())
}
