//! A short history of writes, which the reads observe.

use crate::call::Call;
use crate::cases::{GADGETS, MAPS, WIDGETS, gadget, map, widget};
use crate::session::Session;

pub(super) async fn run(session: &mut Session) {
    session.check(Call::get(MAPS).keep("empty")).await;
    for i in 0..5 {
        let name = format!("m{i}");
        let call = Call::post(MAPS, &map(&name, "1")).keep(&name);
        session.check(call).await;
        let name = format!("w{i}");
        let call = Call::post(WIDGETS, &widget(&name, i)).keep(&name);
        session.check(call).await;
        let name = format!("g{i}");
        let call = Call::post(GADGETS, &gadget(&name)).keep(&name);
        session.check(call).await;
    }
    session.get(format!("{MAPS}/m1")).await;
    session
        .check(Call::put(format!("{MAPS}/m1"), &map("m1", "2")).keep("m1b"))
        .await;
    // No change, so no new version.
    session.put(format!("{MAPS}/m1"), &map("m1", "2")).await;
    session.delete(format!("{MAPS}/m4")).await;
    session.get(format!("{MAPS}/m4")).await;
    session
        .check(Call::post(MAPS, &map("m5", "1")).keep("m5"))
        .await;
    for path in [MAPS, WIDGETS, GADGETS] {
        let kept = path.rsplit('/').next().unwrap_or_default();
        let call = Call::get(format!("{path}?limit=2")).keep(&format!("{kept}.page"));
        session.check(call).await;
        session
            .check(Call::get(path).keep(&format!("{kept}.now")))
            .await;
    }
}
