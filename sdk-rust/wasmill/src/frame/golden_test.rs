use super::vectors::{read, string};
use super::*;
use crate::store::{pack, unpack};
use crate::{Batch, Flags, HeadersBuf, NewRecord};

/// A record of a vector.
#[derive(Debug, Default, PartialEq)]
struct Golden {
    time: i64,
    position: i64,
    cause: u32,
    stream: u16,
    flags: u16,
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    headers: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

fn golden(line: &[String]) -> Golden {
    let number = |w: &str, none: i64| w.parse().unwrap_or(none);
    Golden {
        time: number(&line[1], i64::MIN),
        position: number(&line[2], 0),
        cause: if line[3] == "batch" {
            CAUSE_BATCH
        } else {
            line[3].parse().expect("a number")
        },
        stream: line[4].parse().expect("a number"),
        flags: line[5].parse().expect("a number"),
        key: string(&line[6]),
        value: string(&line[7]),
        headers: Vec::new(),
    }
}

#[test]
fn frames_are_decoded_and_encoded_exactly() {
    for v in read("frames.txt") {
        let (mut name, mut number, mut records) = (Vec::new(), 0, Vec::<Golden>::new());
        for line in &v.lines[1..] {
            match line[0].as_str() {
                "partition" => {
                    number = line[1].parse().expect("a number");
                    name = string(&line[2]).expect("a name");
                }
                "record" => records.push(golden(line)),
                "header" => records
                    .last_mut()
                    .expect("a record")
                    .headers
                    .push((string(&line[1]).expect("a name"), string(&line[2]))),
                other => panic!("{}: {other}", v.name()),
            }
        }
        let mut frame = Frame::open(&v.bytes).expect("a vector");
        assert_eq!(
            (frame.partition.name, frame.partition.number),
            (name.as_slice(), number)
        );
        let mut decoded = Vec::new();
        while let Some(next) = frame.next() {
            let (r, cause) = next.expect("a vector");
            decoded.push(Golden {
                time: r.time,
                position: r.position,
                cause,
                stream: r.stream,
                flags: r.flags.0,
                key: r.key.map(Vec::from),
                value: r.value.map(Vec::from),
                headers: r
                    .headers
                    .iter()
                    .map(|(n, v)| (n.to_vec(), v.map(Vec::from)))
                    .collect(),
            });
        }
        assert_eq!(decoded, records, "{}", v.name());

        let mut builder = Builder::default();
        builder.reset(&name, number);
        for g in &records {
            let mut headers = HeadersBuf::new();
            for (name, value) in &g.headers {
                headers.add(name, value.as_deref());
            }
            let record = NewRecord {
                key: g.key.as_deref(),
                value: g.value.as_deref(),
                headers: headers.view(),
                flags: Flags(g.flags),
                time: None,
            };
            builder.add(
                &record,
                Place {
                    time: g.time,
                    position: g.position,
                    cause: g.cause,
                    stream: g.stream,
                },
            );
        }
        assert_eq!(builder.frame(), v.bytes, "{}", v.name());
    }
}

#[test]
fn faults_are_refused() {
    for v in read("faults.txt") {
        let refused = Frame::open(&v.bytes).map_or(true, |f| Batch::new(f).check().is_err());
        assert!(refused, "{}", v.name());
    }
}

#[test]
fn entries_are_decoded_and_encoded() {
    for v in read("entries.txt") {
        let entries: Vec<Vec<_>> = v.lines[1..]
            .iter()
            .map(|l| l[1..].iter().map(|w| string(w)).collect())
            .collect();
        let first: Vec<_> = entries.iter().map(|e| e[0].clone()).collect();
        match v.lines[0][0].as_str() {
            "scan" => {
                let got: Vec<_> = crate::scan::entries(&v.bytes)
                    .expect("a vector")
                    .into_iter()
                    .map(|e| vec![Some(e.key), Some(e.value)])
                    .collect();
                assert_eq!(got, entries, "{}", v.name());
            }
            "keys" => {
                let mut packed = Vec::new();
                pack(
                    first.iter().map(|k| k.as_deref().expect("a key")),
                    &mut packed,
                );
                assert_eq!(packed, v.bytes, "{}", v.name());
            }
            "values" => assert_eq!(unpack(&v.bytes, first.len()), Some(first), "{}", v.name()),
            other => panic!("{other}"),
        }
        if !v.bytes.is_empty() {
            let cut = &v.bytes[..v.bytes.len() - 1];
            assert_eq!(unpack(cut, entries.len()), None);
        }
    }
}
