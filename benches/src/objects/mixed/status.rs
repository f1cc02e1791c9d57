//! Statuses of Pods, as the kubelet writes them.

use serde_json::{Value, json};

use super::container::Image;
use super::spec::Spec;

/// State of a Pod.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    Running,
    /// Running, after a container failed.
    Restarted,
    /// A container fails again and again.
    CrashLoop,
    /// The containers are being created.
    Creating,
    Succeeded,
    Failed,
}

// === impl State ===

impl State {
    pub(super) const ALL: [Self; 6] = [
        Self::Running,
        Self::Restarted,
        Self::CrashLoop,
        Self::Creating,
        Self::Succeeded,
        Self::Failed,
    ];

    fn phase(self) -> &'static str {
        match self {
            Self::Running | Self::Restarted | Self::CrashLoop => "Running",
            Self::Creating => "Pending",
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
        }
    }

    fn is_ready(self) -> bool {
        matches!(self, Self::Running | Self::Restarted)
    }
}

/// Returns the status of a Pod with these containers.
pub(super) fn create(spec: &Spec, state: State) -> Value {
    let ready = if state.is_ready() { "True" } else { "False" };
    let condition = |kind: &str, status: &str, time: &str| json!({"type": kind, "status": status, "lastProbeTime": null, "lastTransitionTime": time});
    let mut readiness = ["Ready", "ContainersReady"].map(|kind| condition(kind, ready, "$time:4$"));
    if !state.is_ready() {
        let names: Vec<&str> = spec.main.iter().map(|image| &*image.container).collect();
        let message = format!("containers with unready status: [{}]", names.join(" "));
        for condition in &mut readiness {
            if let Some(condition) = condition.as_object_mut() {
                condition.insert("reason".to_owned(), "ContainersNotReady".into());
                condition.insert("message".to_owned(), message.clone().into());
            }
        }
    }
    let [ready, containers_ready] = readiness;
    let init = spec.init.iter().enumerate();
    let init: Vec<Value> = init
        .map(|(at, image)| container(image, at, State::Succeeded, &0.into()))
        .collect();
    let main = spec.main.iter().enumerate().map(|(at, image)| {
        let restarts: Value = if at == 0 {
            "$restarts$".into()
        } else {
            0.into()
        };
        // Only the first container fails.
        let is_first_only = matches!(state, State::Restarted | State::CrashLoop);
        let state = if is_first_only && at > 0 {
            State::Running
        } else {
            state
        };
        container(image, spec.init.len() + at, state, &restarts)
    });
    let mut status = json!({
        "phase": state.phase(),
        "conditions": [
            condition("PodReadyToStartContainers", "True", "$time:2$"),
            condition("Initialized", "True", "$time:2$"),
            ready,
            containers_ready,
            condition("PodScheduled", "True", "$time:0$"),
        ],
        "hostIP": "$hostip$",
        "hostIPs": [{"ip": "$hostip$"}],
        "podIP": "$ip$",
        "podIPs": [{"ip": "$ip$"}],
        "startTime": "$time:0$",
        "containerStatuses": main.collect::<Vec<_>>(),
        "qosClass": "Burstable",
    });
    if let (false, Some(status)) = (init.is_empty(), status.as_object_mut()) {
        status.insert("initContainerStatuses".to_owned(), init.into());
    }
    status
}

/// Returns the status of container `at`.
fn container(image: &Image, at: usize, state: State, restarts: &Value) -> Value {
    let id = format!("containerd://$id:{at}$");
    let terminated = |code: i32, reason: &str| {
        json!({"terminated": {"exitCode": code, "reason": reason, "startedAt": "$time:2$",
            "finishedAt": "$time:3$", "containerID": id}})
    };
    let running = json!({"running": {"startedAt": "$time:3$"}});
    let (current, last) = match state {
        State::Running => (running, json!({})),
        State::Restarted => (running, terminated(137, "OOMKilled")),
        State::CrashLoop => {
            let message = format!(
                "back-off 5m0s restarting failed container={} pod=$app$_$namespace$($uid$)",
                image.container
            );
            let waiting = json!({"waiting": {"reason": "CrashLoopBackOff", "message": message}});
            (waiting, terminated(1, "Error"))
        }
        State::Creating => (
            json!({"waiting": {"reason": "ContainerCreating"}}),
            json!({}),
        ),
        State::Succeeded => (terminated(0, "Completed"), json!({})),
        State::Failed => (terminated(255, "Error"), json!({})),
    };
    json!({
        "name": image.container,
        "state": current,
        "lastState": last,
        "ready": state.is_ready(),
        "started": state.is_ready(),
        "restartCount": restarts,
        "image": image.name,
        "imageID": image.id,
        "containerID": id,
    })
}
