//! Pages, and writes between them.

use std::cmp::Ordering;

use super::event::Event;
use super::judge::{Failure, check};
use super::model::Layout;
use super::question::{Order, Question};
use super::rows::Bounds;
use super::world::World;
use super::writes::Write;
use crate::query::page::{Page, page};
use crate::query::run::start::planned;
use crate::query::{BadRows, PageToken};

impl World {
    /// One page, requested with a token that went to a browser and back.
    async fn page(
        &self,
        question: &Question,
        size: usize,
        token: Option<PageToken>,
    ) -> Result<Page<Event>, Failure> {
        let selection = self.to_selection(question);
        let bounds = self.bounds_of_page(question).await?;
        self.begin_reading();
        let again = token.map(|token| token.to_string().parse::<PageToken>());
        let again = again
            .transpose()
            .map_err(|error| format!("no token: {error:?}"))?;
        let fail = BadRows::fail();
        let page = page(
            &*self.db,
            &self.schema,
            selection,
            &fail,
            size as u64,
            again.as_ref(),
            self.reader(),
        );
        let page = page.await.map_err(|error| format!("no page: {error:?}"))?;
        self.check_reading("a page", bounds)?;
        Ok(page)
    }

    /// A page costs no more than the whole answer.
    async fn bounds_of_page(&self, question: &Question) -> Result<Bounds, Failure> {
        let whole = Question {
            limit: None,
            ..question.clone()
        };
        let selection = self.to_selection(&whole);
        let plan = planned(&*self.db, &self.schema, &selection).await;
        let plan = plan.map_err(|error| format!("no plan: {error:?}"))?;
        Ok(self.bounds_of_part(&whole, &plan))
    }

    /// Pages return what the question returns.
    pub(super) async fn pages(
        &self,
        question: &Question,
        expected: &[Event],
    ) -> Result<(), Failure> {
        let size = 1 + expected.len() / 3;
        let mut found = Vec::new();
        let mut token = None;
        loop {
            let page = self.page(question, size, token).await?;
            check!(
                page.events.len() <= size,
                "{} events on a page of {size}",
                page.events.len()
            );
            found.extend(page.events);
            check!(
                found.len() <= expected.len(),
                "pages give more than the question"
            );
            match page.next {
                Some(next) => token = Some(next),
                None => break,
            }
        }
        let (found, expected) = (self.shown(question, &found), self.shown(question, expected));
        check!(
            found == expected,
            "pages give {found:#?}\nin place of {expected:#?}"
        );
        Ok(())
    }

    /// Pages with writes between them: each holds the events at its time that come after the
    /// previous page. So an event that exists throughout is returned once.
    pub(super) async fn pages_with_writes(
        &mut self,
        question: &Question,
        size: usize,
        writes: &[Write],
    ) -> Result<(), Failure> {
        let selection = self.to_selection(question);
        let plan = planned(&*self.db, &self.schema, &selection).await;
        if question.order == Order::Any || plan.is_err() {
            return Ok(());
        }
        let mut writes = writes.iter();
        let mut token = None;
        let mut last: Option<Event> = None;
        let mut delivered = 0;
        loop {
            let left = question.limit.map_or(usize::MAX, |limit| limit - delivered);
            let after = self.after(question, last.as_ref());
            let size = size.min(left);
            let expected = &after[..size.min(after.len())];
            let page = self.page(question, size.max(1), token).await?;
            let shown = self.shown(question, &page.events);
            let wanted = self.shown(question, expected);
            check!(
                shown == wanted,
                "after {last:?} a page {shown:#?}\nin place of {wanted:#?}"
            );
            delivered += expected.len();
            last = expected.last().cloned().or(last);
            let more = after.len() > size && left > size;
            check!(
                page.next.is_some() == more,
                "another page is promised: {}",
                !more
            );
            match page.next {
                Some(next) => token = Some(next),
                None => return Ok(()),
            }
            for write in writes.by_ref().take(2) {
                // Pages keep to the tables that the first one found.
                if self.has_table(write.time) {
                    self.write(write).await?;
                }
            }
        }
    }

    /// The events after the last one of the previous page.
    fn after(&self, question: &Question, last: Option<&Event>) -> Vec<Event> {
        let whole = Question {
            limit: None,
            ..question.clone()
        };
        let mut answer = whole.answer(self.model(), &self.events());
        if let Some(last) = last {
            // In order of keys a row with one event has had its turn, whatever it holds by now.
            let by_row = self.model().layout == Layout::Latest && question.order == Order::Key;
            answer.retain(|event| match by_row {
                true => {
                    let order = self.model().by_row(event, last);
                    order
                        == if question.descending {
                            Ordering::Less
                        } else {
                            Ordering::Greater
                        }
                }
                false => question.compare(self.model(), event, last).is_gt(),
            });
        }
        answer
    }
}
