//! A class of people and a class of released records: where their members stand in each term of the law.

use super::{
    index::{self, Index, Places, Query, Shape},
    law::{Coordinates, KnownDirections},
    packed::{LANES, Packed, Scores},
    sides::{Sides, at},
};
use crate::attack::Direction;

/// Who stands somewhere: a member of a class of people, or of released records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    Person(usize),
    Released(usize),
}

/// The classes that meet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Classes {
    pub people: usize,
    pub shown: usize,
}

/// What has to be known of the pairs of two classes.
#[derive(Debug)]
pub(super) struct Meeting {
    classes: Classes,
    packed: Packed,
    /// Where people, and released records, stand: one member after the other.
    points: Option<[Vec<[f64; LANES]>; 2]>,
    index: Option<(Vec<KnownDirections>, Index)>,
}

impl Sides {
    /// How many terms, scores of a released record and known scores there are where these classes meet.
    fn sizes(&self, classes: Classes) -> (usize, usize, usize) {
        let people = &self.people.classes[classes.people];
        let released = &self.shown.classes[classes.shown];
        (
            people.terms.len(),
            released.places.len(),
            people.known.places.len(),
        )
    }

    /// Bytes of the coordinates where these classes meet.
    pub fn bytes(&self, classes: Classes) -> usize {
        let (terms, released, known) = self.sizes(classes);
        Packed::bytes(terms, released, known)
    }

    /// Bytes of the points of all members.
    pub fn bytes_of_points(&self, classes: Classes) -> usize {
        let (terms, released, _) = self.sizes(classes);
        let members = self.people.members[classes.people].len();
        let of_member = released * terms.next_multiple_of(LANES) * size_of::<f64>();
        (members + self.shown.members[classes.shown].len()) * of_member
    }

    /// Bytes of an index of this side's members.
    pub fn bytes_of_index(&self, classes: Classes, direction: Direction) -> usize {
        let (terms, released, known) = self.sizes(classes);
        let sought = self.sought(classes, direction).len();
        index::bytes(sought, terms, released.min(known))
    }

    /// The members of a class who are looked for.
    pub fn sought(&self, classes: Classes, direction: Direction) -> &[u32] {
        match direction {
            Direction::OriginalToMasked => &self.shown.members[classes.shown],
            Direction::MaskedToOriginal => &self.people.members[classes.people],
        }
    }
}

fn coordinates(sides: &Sides, classes: Classes) -> Vec<Coordinates> {
    let released = &sides.shown.classes[classes.shown];
    let terms = &sides.people.classes[classes.people].terms;
    (terms.iter())
        .map(|term| Coordinates::new(term, released))
        .collect()
}

impl Meeting {
    pub fn new(sides: &Sides, classes: Classes) -> Self {
        let people = &sides.people.classes[classes.people];
        let (_, released, known) = sides.sizes(classes);
        let coordinates = coordinates(sides, classes);
        Self {
            classes,
            packed: Packed::new(&people.terms, &coordinates, known, released),
            points: None,
            index: None,
        }
    }

    /// With the points of all members.
    pub fn with_points(mut self, sides: &Sides) -> Self {
        let size = self.packed.size();
        let of = |members: &[u32], who: fn(usize) -> Who| {
            let mut points = vec![[0.0; LANES]; members.len() * size];
            for (&member, own) in members.iter().zip(points.chunks_exact_mut(size.max(1))) {
                self.place(sides, who(member as usize), own);
            }
            points
        };
        self.points = Some([
            of(&sides.people.members[self.classes.people], Who::Person),
            of(&sides.shown.members[self.classes.shown], Who::Released),
        ]);
        self
    }

    /// With an index of those who are looked for. `strict` are how many numbers have to be equal, and that of each record.
    pub fn with_index(
        mut self,
        sides: &Sides,
        direction: Direction,
        strict: (usize, &Strict<'_>),
    ) -> Self {
        let released = &sides.shown.classes[self.classes.shown];
        let people = &sides.people.classes[self.classes.people];
        let directions: Vec<KnownDirections> = (people.terms.iter())
            .zip(coordinates(sides, self.classes))
            .map(|(term, own)| KnownDirections::new(term, released, &own))
            .collect();
        let width = released.places.len().min(people.known.places.len());
        let curvature = match direction {
            Direction::OriginalToMasked => directions
                .iter()
                .flat_map(|directions| directions.curvature.clone())
                .collect(),
            Direction::MaskedToOriginal => vec![1.0; directions.len() * width],
        };
        let shape = Shape {
            terms: directions.len(),
            width,
            curvature,
            strict: strict.0,
        };
        let sought = Sought {
            sides,
            meeting: &self,
            directions: &directions,
            members: sides.sought(self.classes, direction),
            direction,
            strict: strict.1,
        };
        let index = Index::new(shape, sought.members.len(), &sought);
        self.index = Some((directions, index));
        self
    }

    #[cfg(test)]
    pub fn is_indexed(&self) -> bool {
        self.index.is_some()
    }

    /// Where somebody stands in all terms.
    fn place(&self, sides: &Sides, who: Who, into: &mut [[f64; LANES]]) {
        let people = &sides.people.classes[self.classes.people];
        let released = &sides.shown.classes[self.classes.shown];
        match who {
            Who::Person(person) => {
                let known = at(&sides.scores.intruder, person, &people.known.places);
                self.packed.point(Scores::Known(&known), into);
            }
            Who::Released(record) => {
                let scores = at(&sides.scores.released, record, &released.places);
                let parts = sides.explained.as_ref().map(|explained| {
                    let of_known = explained.of(record, &people.known.places);
                    (explained.of(record, &released.places), of_known)
                });
                let parts = parts.as_ref().map(|(a, b)| (a.as_slice(), b.as_slice()));
                self.packed.point(Scores::Released(&scores, parts), into);
            }
        }
    }

    /// Where somebody stands in all terms; `room` is for those of whom that was not kept.
    pub fn point<'a>(
        &'a self,
        sides: &Sides,
        who: Who,
        room: &'a mut Vec<[f64; LANES]>,
    ) -> &'a [[f64; LANES]] {
        let size = self.packed.size();
        match (&self.points, who) {
            (Some([people, _]), Who::Person(person)) => {
                &people[sides.people.place(person).1 * size..][..size]
            }
            (Some([_, shown]), Who::Released(record)) => {
                &shown[sides.shown.place(record).1 * size..][..size]
            }
            (None, who) => {
                room.resize(size, [0.0; LANES]);
                self.place(sides, who, room);
                room
            }
        }
    }

    /// ln of the sum of the terms with these logarithms of their weights, for somebody at this point and another one.
    pub fn log_sum(
        &self,
        sides: &Sides,
        weights: &[f64],
        point: &[[f64; LANES]],
        other: Who,
        room: &mut Vec<[f64; LANES]>,
    ) -> f64 {
        let found = self.point(sides, other, room);
        self.packed.log_sum(weights, point, found)
    }

    /// The index, and the question of somebody who stands at these points.
    pub fn query(
        &self,
        sides: &Sides,
        who: Who,
        point: &[[f64; LANES]],
        strict: Vec<Option<f64>>,
    ) -> Option<(&Index, Query)> {
        let (directions, index) = self.index.as_ref()?;
        let mut pulls = Vec::new();
        let constants: Vec<f64> = (directions.iter().enumerate())
            .map(|(term, directions)| {
                let own = self.in_term(point, term);
                pulls.extend(directions.of(&own));
                let half = 0.5 * own.iter().fold(0.0, |sum, x| sum + x * x);
                match who {
                    Who::Person(person) => {
                        let (terms, all) = sides.terms_of_class(person, self.classes.shown);
                        terms[term] - all - half
                    }
                    Who::Released(record) => {
                        self.packed.log_scale(term) - half - sides.frequency[record].0
                    }
                }
            })
            .collect();
        Some((index, index.query(&constants, &pulls, strict)))
    }

    /// The coordinates of a point in a term.
    fn in_term(&self, point: &[[f64; LANES]], term: usize) -> Vec<f64> {
        (0..self.packed.width())
            .map(|at| self.packed.coordinate(point, at, term))
            .collect()
    }
}

/// A number of a record that has to be equal to the query's; `None` where it is equal to all.
pub(super) type Strict<'a> = dyn Fn(usize, usize) -> Option<f64> + Sync + 'a;

/// The members of a class who are looked for.
struct Sought<'a> {
    sides: &'a Sides,
    meeting: &'a Meeting,
    directions: &'a [KnownDirections],
    members: &'a [u32],
    direction: Direction,
    strict: &'a Strict<'a>,
}

impl Places for Sought<'_> {
    fn place(&self, record: usize, into: &mut [f64]) {
        let member = self.members[record] as usize;
        let who = match self.direction {
            Direction::OriginalToMasked => Who::Released(member),
            Direction::MaskedToOriginal => Who::Person(member),
        };
        let mut room = Vec::new();
        let point = self.meeting.point(self.sides, who, &mut room);
        let width = self
            .directions
            .first()
            .map_or(0, |directions| directions.curvature.len());
        for ((term, directions), into) in self
            .directions
            .iter()
            .enumerate()
            .zip(into.chunks_exact_mut(width + 1))
        {
            let own = self.meeting.in_term(point, term);
            into.iter_mut()
                .zip(directions.of(&own))
                .for_each(|(to, x)| *to = x);
            into[width] = match self.direction {
                Direction::OriginalToMasked => {
                    // What of the distance is not in the parabolas.
                    let all = own.iter().fold(0.0, |sum, x| sum + x * x);
                    let seen = (into.iter().zip(&directions.curvature))
                        .fold(0.0, |sum, (x, curvature)| sum + curvature * x * x);
                    self.meeting.packed.log_scale(term)
                        - 0.5 * (all - seen)
                        - self.sides.frequency[member].0
                }
                Direction::MaskedToOriginal => {
                    let shown = self.meeting.classes.shown;
                    let (terms, all) = self.sides.terms_of_class(member, shown);
                    terms[term] - all
                }
            };
        }
    }

    fn home(&self, record: usize) -> usize {
        let member = self.members[record] as usize;
        let home = match self.direction {
            Direction::OriginalToMasked => {
                let component = self.sides.frequency[member].1;
                let class = &self.sides.people.classes[self.meeting.classes.people];
                (class.terms.iter()).position(|term| term.component == component)
            }
            Direction::MaskedToOriginal => {
                let shown = self.meeting.classes.shown;
                let terms = self.sides.terms_of_class(member, shown).0;
                (0..terms.len()).max_by(|&a, &b| terms[a].total_cmp(&terms[b]))
            }
        };
        home.unwrap_or(0)
    }

    fn strict(&self, record: usize, at: usize) -> Option<f64> {
        (self.strict)(self.members[record] as usize, at)
    }
}
