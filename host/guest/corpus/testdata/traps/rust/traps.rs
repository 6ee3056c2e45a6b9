//! A step that traps at a record with "!!!" in it, in a function that was
//! inlined into parse. host/guest knows the lines.
#![no_std]

mod look;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}

#[repr(align(8))]
struct Room(#[allow(dead_code)] [u8; 1 << 16]);

static mut ROOM: Room = Room([0; 1 << 16]);

#[no_mangle]
pub extern "C" fn wasmill_abi_1() {}

#[no_mangle]
pub extern "C" fn wasmill_alloc(size: usize) -> *mut u8 {
    if size <= 1 << 16 {
        core::ptr::addr_of_mut!(ROOM) as *mut u8
    } else {
        core::ptr::null_mut()
    }
}

#[no_mangle]
pub extern "C" fn wasmill_init(_: *const u8, _: usize) -> i32 {
    0
}

#[inline(never)]
fn parse(frame: &[u8]) -> i32 {
    let mut marks = 0;
    for &b in frame {
        marks = if b == b'!' { marks + 1 } else { 0 };
        look::look(marks);
    }
    marks
}

#[no_mangle]
pub unsafe extern "C" fn wasmill_process(op: i32, ptr: *const u8, len: usize) -> i32 {
    if op != 1 {
        return -38;
    }
    parse(core::slice::from_raw_parts(ptr, len)).min(0)
}
