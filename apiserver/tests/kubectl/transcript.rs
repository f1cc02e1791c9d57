//! Sessions on a page: `$ command`, `> continuation`, and the output.

const PAGE: &str = include_str!("../../../docs/apiserver-reference.md");

/// The commands of one block, which one shell runs.
#[derive(Debug)]
pub(crate) struct Session {
    /// `true` if the real server gives the same outputs.
    pub(crate) everywhere: bool,
    pub(crate) steps: Vec<Step>,
}

#[derive(Debug, Default)]
pub(crate) struct Step {
    /// The command with its newline.
    pub(crate) command: String,
    pub(crate) output: String,
}

impl Session {
    /// Creates a session whose outputs are unknown.
    pub(crate) fn of(commands: impl IntoIterator<Item = String>) -> Self {
        let steps = commands.into_iter().map(|command| Step {
            command: format!("{command}\n"),
            output: String::new(),
        });
        Self {
            everywhere: true,
            steps: steps.collect(),
        }
    }
}

/// Returns all sessions of the page.
pub(crate) fn sessions() -> Vec<Session> {
    let mut found = Vec::new();
    let mut lines = PAGE.lines();
    while let Some(line) = lines.next() {
        let Some(mark) = line.strip_prefix("```console") else {
            continue;
        };
        let block = lines.by_ref().take_while(|line| *line != "```");
        found.push(Session {
            everywhere: mark.is_empty(),
            steps: steps(block),
        });
    }
    assert!(found.iter().any(|session| session.everywhere));
    found
}

fn steps<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in lines {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step {
                command: format!("{command}\n"),
                output: String::new(),
            });
            continue;
        }
        let step = steps.last_mut().unwrap();
        // The shell's continuation prompt; no output starts like this.
        let (text, line) = match line.strip_prefix("> ") {
            Some(more) => (&mut step.command, more),
            None => (&mut step.output, line),
        };
        text.push_str(line);
        text.push('\n');
    }
    steps
}
