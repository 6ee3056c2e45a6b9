//! Steps of all forms against the host in memory.
#![allow(missing_docs)]

use wasmill::testing::{Emitted, Host, Input};
use wasmill::{
    Batch, CODE_PANIC, Context, Errno, Error, Flags, HeadersBuf, NewRecord, Record, Result, Step,
};

fn echo(record: Record, cx: &mut Context) -> Result {
    match record.text()? {
        "fail" => Err(Error::with_code(7, "failed")),
        "panic" => panic!("on purpose"),
        "seen" => {
            cx.store("s").put("sum", record.bytes())?;
            cx.counter("seen")?.add(1);
            Ok(())
        }
        _ => Ok(cx.emit(record)?),
    }
}

fn times(emitted: &[Emitted]) -> Vec<(Option<usize>, Option<i64>)> {
    emitted.iter().map(|e| (e.cause, e.time)).collect()
}

#[test]
fn records_that_fail_are_undone_alone() {
    let mut host = Host::new().stores(["s"]).start(echo).expect("starts");
    let got = host.batch([
        Input::value("a").at(5),
        Input::value("fail"),
        Input::value("panic"),
        Input::value("seen"),
        Input::value([0xff]),
        Input::value("b"),
    ]);
    assert_eq!(got.values(), ["a", "b"]);
    assert_eq!(times(&got.emitted), [(Some(0), Some(5)), (Some(5), None)]);
    let failed: Vec<_> = got.failed.iter().map(|f| (f.index, f.code)).collect();
    assert_eq!(failed, [(1, 7), (2, CODE_PANIC), (4, 0)]);
    assert_eq!(got.failed[0].text, "failed");
    let panic = &got.failed[1].text;
    assert!(
        panic.starts_with("panic: on purpose at ") && panic.contains("step.rs:"),
        "{panic}"
    );
    assert_eq!(got.failed[2].text, "the value is not UTF-8");
    assert_eq!(host.store("s"), [("sum".to_owned(), "seen".to_owned())]);
    // It ran twice: up to the panic it had not come there.
    assert_eq!(host.metric("seen"), Some(2));
}

#[test]
fn records_keep_what_they_have() {
    let mut host = Host::new().start(echo).expect("starts");
    let input = Input::keyed("", "v")
        .header("h", "x")
        .header("h", "")
        .flags(Flags::UPDATE)
        .at(-1);
    let got = host.batch([input, Input::null()]);
    let full = &got.emitted[0];
    assert_eq!(
        (full.key.as_deref(), full.time, full.flags),
        (Some(&b""[..]), Some(-1), Flags::UPDATE)
    );
    assert_eq!(
        full.headers,
        [
            (b"h".to_vec(), Some(b"x".to_vec())),
            (b"h".to_vec(), Some(Vec::new()))
        ]
    );
    let null = &got.emitted[1];
    assert_eq!((&null.key, &null.value, null.time), (&None, &None, None));
}

fn whole(batch: &Batch, cx: &mut Context) -> Result {
    for record in batch {
        match record.text()? {
            "fail" => cx.fail(&record, Error::new("failed")),
            "refuse" => return Err(Error::new("not this one")),
            "panic" => {
                cx.caused_by(&record);
                panic!("on purpose");
            }
            "caused" => {
                cx.caused_by(&record);
                cx.emit(record)?;
            }
            _ => cx.emit_to("late", record)?,
        }
    }
    Ok(())
}

#[test]
fn batch_as_a_whole() {
    let mut host = Host::new()
        .outputs(["out", "late"])
        .start(whole)
        .expect("starts");
    let got = host.batch([Input::value("a").at(1), Input::value("caused").at(2)]);
    assert_eq!(times(&got.emitted), [(None, None), (Some(1), Some(2))]);
    assert_eq!(got.emitted[0].output, "late");
    let got = host.batch(["a", "fail", "panic", "b"]);
    let failed: Vec<_> = got.failed.iter().map(|f| (f.index, f.code)).collect();
    assert_eq!(
        (got.values(), failed),
        (
            vec!["a".to_owned(), "b".to_owned()],
            vec![(1, 0), (2, CODE_PANIC)]
        )
    );
    let got = host.batch(["a", "refuse"]);
    assert_eq!(
        (got.emitted.len(), got.refused.as_deref()),
        (0, Some("not this one"))
    );
}

#[derive(Default)]
struct Pages;

#[wasmill::step]
impl Step for Pages {
    fn init(cx: &mut Context) -> Result<Self> {
        match cx.config_json() {
            None => Ok(Pages),
            Some(_) => Err(Error::new("configured to fail")),
        }
    }

    fn record(&mut self, record: Record, cx: &mut Context) -> Result {
        let store = cx.store("s");
        store.put(record.bytes(), record.bytes())?;
        Ok(())
    }

    fn end(&mut self, token: &[u8], cx: &mut Context) -> Result<Option<Vec<u8>>> {
        for (i, entry) in cx.store("s").scan(token, "").enumerate() {
            let entry = entry?;
            if i == 2 {
                return Ok(Some(entry.key));
            }
            cx.emit(NewRecord::of(&entry.value))?;
        }
        Ok(None)
    }
}

#[test]
fn end_goes_on_by_its_token() {
    let mut host = Host::new()
        .stores(["s"])
        .start(Pages::init)
        .expect("starts");
    host.batch(["c", "a", "e", "b", "d"]);
    host.replace_instance().expect("starts again");
    let got = host.end();
    assert_eq!(got.values(), ["a", "b", "c", "d", "e"]);
    assert_eq!(times(&got.emitted[..1]), [(None, None)]);
}

#[test]
fn init_that_fails_says_why() {
    let e = Host::new()
        .config_json("1")
        .start(Pages::init)
        .err()
        .expect("fails");
    assert_eq!(e.to_string(), "configured to fail");
}

fn calls(_: Record, cx: &mut Context) -> Result {
    let s = cx.store("s");
    for key in ["b", "a", "c", ""] {
        s.put(key, key.repeat(5000))?;
    }
    s.delete("c")?;
    assert_eq!(s.get("a")?, Some(vec![b'a'; 5000]));
    assert_eq!(s.get("")?, Some(Vec::new()));
    assert_eq!(s.get("c")?, None);
    let nested = s.with("a", |a| s.with("b", |b| a.len() + b.len()))?;
    assert_eq!(nested.transpose()?.flatten(), Some(10_000));
    let many: Vec<_> = s
        .get_many(&["c", "", "b"])?
        .into_iter()
        .map(|v| v.map(|v| v.len()))
        .collect();
    assert_eq!(many, [None, Some(0), Some(5000)]);
    let keys = |start: &str, end: &str| -> Result<Vec<Vec<u8>>> {
        s.scan(start, end).map(|e| Ok(e?.key)).collect()
    };
    assert_eq!(keys("", "")?, [&b""[..], b"a", b"b"]);
    assert_eq!(keys("a", "b")?, [b"a"]);
    assert_eq!(keys("b", "a")?, [[0_u8; 0]; 0]);

    let absent = cx.store("missing").get("a").expect_err("there is none");
    assert_eq!(
        absent.to_string(),
        "wasmill: state_get missing: the job file declares nothing of this name"
    );
    assert_eq!(
        s.put([b'k'; 5000], "").expect_err("too long").errno,
        Errno::E2BIG
    );
    assert_eq!(
        cx.emit_to("missing", NewRecord::null())
            .expect_err("there is none")
            .errno,
        Errno::EBADF
    );
    assert_eq!(
        cx.emit(NewRecord::of(&[0; 2000]))
            .expect_err("too long")
            .errno,
        Errno::E2BIG
    );
    assert_eq!(cx.counter("Bad").expect_err("no name").errno, Errno::EINVAL);
    Ok(())
}

#[test]
fn calls_and_their_errors() {
    let mut host = Host::new()
        .stores(["r", "s"])
        .record_limit(1000)
        .start(calls)
        .expect("starts");
    let got = host.batch(["x"]);
    assert_eq!(
        (got.failed, got.refused, got.emitted),
        (vec![], None, vec![])
    );
}

fn scan_of_many(_: Record, cx: &mut Context) -> Result {
    let s = cx.store("s");
    for i in 0..5000 {
        s.put(format!("{i:05}"), [0; 20])?;
    }
    let mut n = 0;
    for entry in s.scan("", "") {
        assert_eq!(entry?.key, format!("{n:05}").as_bytes());
        n += 1;
    }
    Ok(cx.emit(NewRecord::of(&n.to_string()))?)
}

#[test]
fn scan_over_many_pages() {
    let mut host = Host::new()
        .stores(["s"])
        .start(scan_of_many)
        .expect("starts");
    assert_eq!(host.batch(["x"]).values(), ["5000"]);
}

fn flood(record: Record, cx: &mut Context) -> Result {
    let size: usize = record.text()?.parse()?;
    for _ in 0..40 {
        cx.emit(NewRecord::of(&vec![0; size]))?;
    }
    Ok(())
}

#[test]
fn frames_are_handed_over_in_pieces() {
    let mut host = Host::new().start(flood).expect("starts");
    assert_eq!(host.batch(["100000"]).emitted.len(), 40);
    // A frame that the host refuses may hold what other records emitted.
    let got = host.batch(["1", "524288"]);
    assert_eq!(
        (got.emitted.len(), got.failed.len(), got.refused.is_some()),
        (0, 0, true)
    );
}

fn headers(record: Record, cx: &mut Context) -> Result {
    let mut out = HeadersBuf::new();
    out.extend(record.headers());
    out.push("n", "1");
    out.push_null("z");
    assert_eq!(record.headers().get("h"), Some(Some(&b"x"[..])));
    assert_eq!(out.view().get("z"), Some(None));
    assert_eq!(out.view().get("y"), None);
    Ok(cx.emit(NewRecord::of("v").with_headers(out.view()).without_time())?)
}

#[test]
fn headers_are_made() {
    let mut host = Host::new().start(headers).expect("starts");
    let got = host.batch([Input::value("v").header("h", "x").at(3)]);
    assert_eq!(got.failed, []);
    assert_eq!(
        (got.emitted[0].headers.len(), got.emitted[0].time),
        (3, None)
    );
}

fn clock(_: Record, cx: &mut Context) -> Result {
    let (a, b) = (cx.now(), cx.now());
    Ok(cx.emit(NewRecord::of(&format!("{a} {}", b - a)))?)
}

#[test]
fn clock_is_the_batch() {
    let mut host = Host::new().start(clock).expect("starts");
    assert_eq!(
        host.batch([Input::value("").at(7)]).values(),
        ["7001000 1000"]
    );
}
