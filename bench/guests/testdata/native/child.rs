// The host of the step in Rust, a module of it. README.md says what the
// process does.
use std::cell::{Cell, RefCell};
use std::io::BufRead;
use std::rc::Rc;
use std::time::Instant;

use wasmill::bench::{Instance, frame_values, sys};

/// The least host there can be.
#[derive(Default)]
struct Least {
    keep: Cell<bool>,
    frame: RefCell<Vec<u8>>,
}

impl sys::Host for Least {
    fn emit(&self, frame: &[u8]) -> i32 {
        if self.keep.get() {
            self.frame.replace(frame.to_vec());
        }
        0
    }

    fn fail(&self, index: u32, code: i32, text: &[u8]) -> i32 {
        eprintln!("record {index} failed with code {code}: {}", String::from_utf8_lossy(text));
        -22
    }

    fn log(&self, _: u32, text: &[u8]) -> i32 {
        eprintln!("{}", String::from_utf8_lossy(text));
        0
    }

    fn log_enabled(&self, level: u32) -> i32 {
        i32::from(level > 0)
    }

    fn metric_define(&self, _: u32, name: &[u8]) -> i32 {
        i32::from(name.len() > 4)
    }

    fn metric_add(&self, _: i32, _: i64) -> i32 {
        0
    }

    fn state_get(&self, _: u32, _: &[u8], _: &mut [u8]) -> i32 {
        -38
    }

    fn state_put(&self, _: u32, _: &[u8], _: &[u8]) -> i32 {
        -38
    }

    fn state_delete(&self, _: u32, _: &[u8]) -> i32 {
        -38
    }

    fn state_scan(&self, _: u32, _: &[u8], _: &[u8], _: &mut [u8]) -> i32 {
        -38
    }

    fn state_get_many(&self, _: u32, _: &[u8], _: &mut [u8]) -> i32 {
        -38
    }

    fn resume(&self, _: &[u8]) -> i32 {
        -38
    }

    fn now(&self) -> i64 {
        0
    }
}

pub fn main() {
    let files: Vec<Vec<u8>> = std::env::args().skip(1).map(|f| std::fs::read(f).expect("a file")).collect();
    let host = Rc::new(Least::default());
    sys::with_host(host.clone(), || serve(&files[0], &files[1], &host));
}

fn serve(init: &[u8], frame: &[u8], host: &Least) {
    let mut instance = Instance::default();
    assert_eq!(instance.init(init, <crate::Case as wasmill::Step>::init), 0, "init");
    let mut payload = vec![0; frame.len()];
    let mut batch = || {
        payload.copy_from_slice(frame); // as the host does
        assert_eq!(instance.process(1, &payload), 0, "batch");
    };
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line");
        if line == "show" {
            host.keep.set(true);
            batch();
            host.keep.set(false);
            println!("{}", frame_values(&host.frame.borrow()).pop().expect("a record"));
            continue;
        }
        let n: u32 = line.parse().expect("a number");
        let began = Instant::now();
        for _ in 0..n {
            batch();
        }
        println!("{}", began.elapsed().as_nanos());
    }
}
