use super::*;

const OBJECT: [u8; 100] = [7; 100];

/// Returns the number of further objects until an order is returned, at most `limit`.
fn order_after(trainer: &mut Trainer, packed: usize, limit: usize) -> Option<usize> {
    (1..=limit).find(|_| trainer.on_packed(&OBJECT, packed).is_some())
}

/// Packed size of an object of `OBJECT`'s size that is just good enough to avoid training.
const WELL: usize = 10 + OWN_BYTES;

/// Returns a trainer in use of a trained dictionary, because its first one compressed badly.
fn settled() -> Trainer {
    let mut trainer = Trainer::new();
    assert_eq!(order_after(&mut trainer, 50, 1000), Some(FIRST_SAMPLES));
    trainer.on_made();
    let second = order_after(&mut trainer, WELL + 1, 10_000);
    assert_eq!(second, Some(FIRST_WINDOW + SAMPLES));
    trainer.on_made();
    trainer
}

#[test]
fn few_objects_make_the_first_dictionary_verbatim() {
    let mut trainer = Trainer::new();
    let order = (0..1000).find_map(|_| trainer.on_packed(&OBJECT, 50));
    let Some(Order::Verbatim(samples)) = order else {
        panic!("{order:?}");
    };
    assert_eq!(samples.bytes(), OBJECT.repeat(FIRST_SAMPLES));
    assert_eq!(trainer.sample_bytes(), 0);
}

#[test]
fn many_objects_train_the_second_where_the_first_packs_badly() {
    let mut trainer = Trainer::new();
    assert_eq!(order_after(&mut trainer, 50, 1000), Some(FIRST_SAMPLES));
    trainer.on_made();
    let order = (0..10_000).find_map(|_| trainer.on_packed(&OBJECT, WELL + 1));
    let Some(Order::Trained(samples)) = order else {
        panic!("{order:?}");
    };
    assert_eq!(samples.lengths().len(), SAMPLES);
    trainer.on_made();
    assert_eq!(trainer.sample_bytes(), 0);
    assert_eq!(order_after(&mut trainer, WELL + 1, 10_000), None);
}

#[test]
fn a_first_dictionary_that_packs_well_is_kept_while_it_does() {
    let mut trainer = Trainer::new();
    assert_eq!(order_after(&mut trainer, 50, 1000), Some(FIRST_SAMPLES));
    trainer.on_made();
    let well = order_after(&mut trainer, WELL, 10 * FIRST_WINDOW);
    assert_eq!(well, None);
    let again = order_after(&mut trainer, 2 * WELL, 10_000);
    assert!(again.is_some_and(|after| after > SAMPLES), "{again:?}");
}

#[test]
fn nothing_is_collected_while_a_dictionary_is_made() {
    let mut trainer = Trainer::new();
    assert_eq!(order_after(&mut trainer, 50, 1000), Some(FIRST_SAMPLES));
    assert_eq!(order_after(&mut trainer, 50, 10_000), None);
}

#[test]
fn samples_are_bounded_in_bytes() {
    let mut trainer = settled();
    trainer.collect();
    let large = vec![0; MAX_SAMPLE];
    let huge = vec![0; MAX_SAMPLE + 1];
    assert!(trainer.on_packed(&huge, 1).is_none());
    assert_eq!(trainer.sample_bytes(), 0);
    let order = (0..SAMPLES).find_map(|_| trainer.on_packed(&large, 1));
    let Some(Order::Trained(samples)) = order else {
        panic!("{order:?}");
    };
    assert!(samples.bytes().len() <= MAX_SAMPLE_BYTES);
    assert!(samples.lengths().iter().all(|&length| length == MAX_SAMPLE));
}

#[test]
fn a_dictionary_that_still_fits_is_kept() {
    let mut trainer = settled();
    assert_eq!(order_after(&mut trainer, 200, 4 * FIRST_WINDOW), None);
    assert_eq!(order_after(&mut trainer, 300, 4 * FIRST_WINDOW), None);
}

#[test]
fn a_dictionary_that_no_longer_fits_is_replaced_at_growing_intervals() {
    let mut trainer = settled();
    let mut waits = Vec::new();
    for _ in 0..3 {
        let window = trainer.window;
        assert_eq!(order_after(&mut trainer, 200, window), None);
        waits.push(order_after(&mut trainer, 900, 100_000).unwrap());
        trainer.on_made();
    }
    let windows = [FIRST_WINDOW, 2 * FIRST_WINDOW, 4 * FIRST_WINDOW];
    assert_eq!(waits, windows.map(|window| window + SAMPLES));
}
