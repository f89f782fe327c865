//! Links that are handed on before the end of the page: memory for all links of a long one is not needed.

use std::ops::ControlFlow;

use super::{HtmlReader, View};

/// Steps after which the receiver is asked in the middle of a stretch whether to continue: one may take most of them.
const STEPS_TOGETHER: u64 = 16 << 10;

impl<'t> HtmlReader<'t, '_, '_> {
    /// Hands on the links found so far, if nothing later refers to them.
    pub(super) fn emit(&mut self) -> ControlFlow<()> {
        let view = match self.can_emit() {
            true => {
                // A form without an end would keep all that follows.
                self.forms.open = None;
                self.maps.forget_areas();
                self.flushed = 0;
                std::mem::take(&mut self.view)
            }
            false => View { steps: std::mem::take(&mut self.view.steps), ..View::default() },
        };
        self.most -= view.occurrences.len().min(self.most);
        self.hand_on(view)
    }

    fn hand_on(&mut self, view: View<'t>) -> ControlFlow<()> {
        self.steps = self.steps.saturating_sub(view.steps);
        (self.take)(view)
    }

    /// Hands on the steps that were taken, once they are many. Whether there may be more.
    pub(super) fn can_go_on(&mut self) -> bool {
        let more = self.view.steps < STEPS_TOGETHER || {
            let steps = std::mem::take(&mut self.view.steps);
            self.hand_on(View { steps, ..View::default() }).is_continue()
        };
        self.view.cut |= !more;
        more
    }

    /// Whether nothing refers to the links found so far.
    pub(super) fn can_emit(&self) -> bool {
        let anchors = [&self.anchors, &self.outer];
        self.reads_in_turn()
            && self.open_anchor.is_none()
            && anchors.iter().all(|anchors| anchors.is_empty())
            && self.titled.is_empty()
    }

    /// Whether links are handed on before the end. Otherwise there will always be many, once there are.
    pub(super) fn reads_in_turn(&self) -> bool {
        self.in_turn && self.base.is_none() && !self.forms.are_named() && !self.maps.are_shown()
    }
}
