//! The golden vectors of the interface, which all SDKs share.

/// A paragraph: the lines before `bytes`, and the bytes.
pub(crate) struct Vector {
    pub(crate) lines: Vec<Vec<String>>,
    pub(crate) bytes: Vec<u8>,
}

impl Vector {
    pub(crate) fn name(&self) -> String {
        self.lines[0].join(" ")
    }
}

/// Reads a file of abi/testdata.
pub(crate) fn read(file: &str) -> Vec<Vector> {
    let path = format!("{}/../../abi/testdata/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect(&path);
    let all: Vec<Vector> = text.split("\n\n").filter_map(paragraph).collect();
    assert!(all.len() > 5, "{file} has {} vectors", all.len());
    all
}

fn paragraph(text: &str) -> Option<Vector> {
    let (head, hex) = text
        .split_once("\nbytes")
        .filter(|(head, _)| !head.starts_with('#'))?;
    Some(Vector {
        lines: head
            .trim()
            .lines()
            .filter(|l| !l.starts_with('#'))
            .map(words)
            .collect(),
        bytes: hex
            .split_whitespace()
            .map(|b| u8::from_str_radix(b, 16).expect(b))
            .collect(),
    })
}

/// Splits a line at spaces outside of strings.
fn words(line: &str) -> Vec<String> {
    let (mut all, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        quoted ^= c == '"';
        if c == ' ' && !quoted {
            all.push(String::new());
        } else {
            all.last_mut().expect("not empty").push(c);
        }
    }
    all
}

/// A string: `null`, or bytes between double quotes.
pub(crate) fn string(word: &str) -> Option<Vec<u8>> {
    if word == "null" {
        return None;
    }
    let inner = word
        .strip_prefix('"')
        .and_then(|w| w.strip_suffix('"'))
        .expect(word);
    let mut parts = inner.split("\\x");
    let mut bytes = parts.next().expect("one at least").as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).expect(part));
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    Some(bytes)
}
