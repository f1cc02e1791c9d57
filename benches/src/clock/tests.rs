use super::*;

#[test]
fn memory_is_read_from_the_kernels_text() {
    let status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\nThreads:\t1\n";
    let memory = Memory::parse(status).unwrap();
    assert_eq!((memory.resident, memory.peak), (1 << 20, 2 << 20));
    assert!(Memory::parse("Name:\tx\n").is_none());
    assert!(Memory::now().unwrap().peak > 0);
}

#[test]
fn a_wait_is_a_wake_up() {
    // Of this thread only: the threads of other tests end at any time.
    let now = || switches(&fs::read_to_string("/proc/thread-self/status").unwrap()).unwrap();
    let before = now();
    // On a busy machine the time may be over before the wait begins.
    let is_counted = (0..100).any(|_| {
        sleep_until(monotonic_nanos() + 1_000_000);
        now() > before
    });
    assert!(is_counted);
    assert!(wake_ups().unwrap() > 0);
    let status = "nonvoluntary_ctxt_switches:\t7\nvoluntary_ctxt_switches:\t4\n";
    assert_eq!(switches(status), Some(4));
}
