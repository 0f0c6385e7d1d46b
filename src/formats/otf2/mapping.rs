//! Mapping tables: the identifiers of one location as those of the trace, section 8.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;

use foldhash::fast::RandomState;
use streamfold_model::enums::{MappingType, Type};
use streamfold_model::ids::{MetricRef, RegionRef};
use streamfold_model::values::IdMap;

const KINDS: usize = MappingType::NAMED.len();

/// The mapping tables of one location. Identifiers without a table, or not in it, stay as they
/// are.
#[derive(Clone, Debug, Default)]
pub struct Mappings {
    tables: [Table; KINDS],
}

/// One table, prepared for looking up: the small identifiers in an array, the others sorted.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    dense: Vec<u64>,
    sparse: Vec<(u64, u64)>,
    /// Set if identifiers outside of `dense` may have others.
    more: bool,
    given: bool,
    /// Global regions that stand for others.
    others: Option<Arc<Regions>>,
    /// Meaning of identifiers that it does not list; `None`: each means itself.
    unlisted: Option<Arc<dyn MissingDefinitions>>,
}

/// Says what is meant by identifiers of one kind that a location does not list.
pub trait MissingDefinitions: Debug + Send + Sync {
    /// The global identifier of a local one.
    fn global(&self, local: u64) -> u64;
}

/// Up to this identifier arrays list what they would not have to: half a mebibyte at most, while a
/// location is open.
const SMALL: u64 = 1 << 16;

/// Global regions that stand for others.
type Regions = HashMap<RegionRef, RegionRef, RandomState>;

impl Mappings {
    /// Takes in the table of one kind; kinds of newer versions are ignored.
    ///
    /// # Errors
    ///
    /// The kind's name, when it has a table already. The first one stays in force.
    pub fn insert(&mut self, kind: MappingType, map: IdMap) -> Result<(), &'static str> {
        let Some(name) = kind.name() else { return Ok(()) };
        let table = &mut self.tables[usize::from(u8::from(kind))];
        if table.given {
            return Err(name);
        }
        *table = Table::new(map);
        Ok(())
    }

    /// Takes in what is meant by the identifiers of one kind: by these, which ascend, and by all others. In
    /// place of a table.
    pub fn insert_all(
        &mut self,
        kind: MappingType,
        mut listed: Vec<(u64, u64)>,
        unlisted: Arc<dyn MissingDefinitions>,
    ) {
        if kind.name().is_none() {
            return;
        }
        let small = listed.iter().zip(0..).take_while(|((local, _), place)| local == place).count();
        let sparse = listed.split_off(small);
        let dense = listed.into_iter().map(|(_, global)| global).collect();
        let (more, given, unlisted) = (true, true, Some(unlisted));
        self.tables[usize::from(u8::from(kind))] =
            Table { dense, sparse, more, given, others: None, unlisted };
    }

    /// From now on regions are others: `own` by the identifiers of the location, in place of what
    /// the table says, and `others` by global ones.
    pub fn rename_regions(
        &mut self,
        own: &[(RegionRef, RegionRef)],
        others: Option<Arc<HashMap<RegionRef, RegionRef, RandomState>>>,
    ) {
        if own.is_empty() && others.is_none() {
            return;
        }
        let table = &mut self.tables[usize::from(u8::from(MappingType::Region))];
        let own = own.iter().map(|(from, to)| (u64::from(from.0), u64::from(to.0)));
        *table = std::mem::take(table).renamed(own, others);
    }

    /// From now on metrics are others, by the identifiers of the location, in place of what the table says.
    pub fn rename_metrics(&mut self, own: &[(MetricRef, MetricRef)]) {
        if own.is_empty() {
            return;
        }
        let table = &mut self.tables[usize::from(u8::from(MappingType::Metric))];
        let own = own.iter().map(|(from, to)| (u64::from(from.0), u64::from(to.0)));
        *table = std::mem::take(table).renamed(own, None);
    }

    /// The region that stands for a global one, see [`Mappings::rename_regions`].
    pub fn standing_for(&self, region: RegionRef) -> RegionRef {
        let others = &self.table(MappingType::Region).others;
        others.as_ref().and_then(|others| others.get(&region).copied()).unwrap_or(region)
    }

    /// The kinds that have a table.
    pub fn kinds(&self) -> impl Iterator<Item = MappingType> + '_ {
        let given = |kind: &MappingType| self.tables[usize::from(u8::from(*kind))].given;
        MappingType::NAMED.iter().copied().filter(given)
    }

    /// The global identifier of a local one of 32 bits; the result is cut to that width.
    #[inline(always)]
    pub fn map32(&self, kind: MappingType, local: u32) -> u32 {
        self.map64(kind, u64::from(local)) as u32
    }

    /// The global identifier of a local one.
    #[inline(always)]
    pub fn map64(&self, kind: MappingType, local: u64) -> u64 {
        self.table(kind).map64(local)
    }

    /// The table of one kind.
    #[inline(always)]
    pub(super) fn table(&self, kind: MappingType) -> &Table {
        &self.tables[usize::from(u8::from(kind)) % KINDS]
    }

    /// A value in 64 bits, mapped where its type is a reference with a mapping.
    #[inline]
    pub fn map_value(&self, value_type: Type, bits: u64) -> u64 {
        match mapping_of(value_type) {
            None => bits,
            Some(MappingType::Location) => self.map64(MappingType::Location, bits),
            Some(kind) => u64::from(self.map32(kind, bits as u32)),
        }
    }
}

/// The mapping that applies to values of a type, section 12.
fn mapping_of(value_type: Type) -> Option<MappingType> {
    match MappingType::from(u8::from(value_type).checked_sub(u8::from(Type::String))?) {
        MappingType::Unnamed(_) => None,
        kind => Some(kind),
    }
}

impl Table {
    fn new(map: IdMap) -> Self {
        match map {
            IdMap::Dense(globals) => Table { dense: globals, given: true, ..Table::default() },
            IdMap::Sparse(pairs) => Table::from_pairs(pairs),
        }
    }

    /// The same with these identifiers in place of what it says of them, and all others put in place
    /// of what it leads to.
    fn renamed(self, own: impl Iterator<Item = (u64, u64)>, others: Option<Arc<Regions>>) -> Self {
        let given = self.given;
        let mut own = own.peekable();
        let mut table = match own.peek() {
            None => self,
            Some(_) => {
                let pairs = (0..).zip(self.dense).chain(self.sparse).chain(own);
                Table::from_pairs(pairs.collect())
            }
        };
        if let Some(others) = &others {
            table.put_in_place(others);
        }
        Table { given, others, ..table }
    }

    /// Puts others in place of what the table leads to, and of what it does not list: there an
    /// identifier means itself. So far as they are small the array knows these, too.
    fn put_in_place(&mut self, others: &Regions) {
        let sparse = self.sparse.iter_mut().map(|(_, to)| to);
        self.dense.iter_mut().chain(sparse).for_each(|to| *to = other(others, *to));
        let pairs = || others.iter().map(|(from, to)| (u64::from(from.0), u64::from(to.0)));
        let listed = self.dense.len() as u64;
        let small = pairs().map(|(from, _)| from).filter(|from| *from < SMALL);
        let end = small.max().map_or(listed, |last| listed.max(last + 1));
        self.dense.extend(listed..end);
        for (from, to) in pairs().filter(|(from, _)| (listed..end).contains(from)) {
            self.dense[from as usize] = to;
        }
        let now_small = self.sparse.partition_point(|&(local, _)| local < end);
        for (local, global) in self.sparse.drain(..now_small) {
            self.dense[local as usize] = global;
        }
        self.more = !self.sparse.is_empty() || pairs().any(|(from, _)| from >= end);
    }

    fn from_pairs(mut pairs: Vec<(u64, u64)>) -> Self {
        // If a local identifier occurs twice, the later one wins: stable, then the last.
        pairs.sort_by_key(|&(local, _)| local);
        pairs.reverse();
        pairs.dedup_by_key(|&mut (local, _)| local);
        pairs.reverse();
        let limit = 4 * pairs.len() as u64 + 64;
        let small = pairs.partition_point(|&(local, _)| local < limit);
        let sparse = pairs.split_off(small);
        let mut dense: Vec<u64> = (0..pairs.last().map_or(0, |&(local, _)| local + 1)).collect();
        for (local, global) in pairs {
            dense[local as usize] = global;
        }
        Table { dense, more: !sparse.is_empty(), sparse, given: true, ..Table::default() }
    }

    /// Tells whether identifiers stay as they are.
    pub(super) fn is_identity(&self) -> bool {
        self.dense.is_empty() && !self.more
    }

    /// The global identifiers of small local ones, each in the place of its number.
    #[inline(always)]
    pub(super) fn listed(&self) -> &[u64] {
        &self.dense
    }

    #[inline(always)]
    pub(super) fn map64(&self, local: u64) -> u64 {
        match usize::try_from(local).ok().and_then(|local| self.listed().get(local)) {
            Some(&global) => global,
            None => self.unlisted(local),
        }
    }

    /// The global identifier of one that is not among [`Table::listed`].
    #[inline(always)]
    pub(super) fn unlisted(&self, local: u64) -> u64 {
        match self.more {
            true => self.find(local),
            false => local,
        }
    }

    #[cold]
    fn find(&self, local: u64) -> u64 {
        let found = self.sparse.binary_search_by_key(&local, |&(local, _)| local);
        let unlisted = || match (&self.others, &self.unlisted) {
            (Some(others), _) => other(others, local),
            (None, Some(unlisted)) => unlisted.global(local),
            (None, None) => local,
        };
        found.map_or_else(|_| unlisted(), |i| self.sparse[i].1)
    }
}

/// The region that stands for one; identifiers have 32 bits.
fn other(others: &Regions, region: u64) -> u64 {
    others.get(&RegionRef(region as u32)).map_or(region, |other| u64::from(other.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(map: IdMap) -> Mappings {
        let mut mappings = Mappings::default();
        mappings.insert(MappingType::Region, map).unwrap();
        mappings
    }

    #[test]
    fn dense_tables_map_what_they_list_and_leave_the_rest() {
        let maps = region(IdMap::Dense(vec![7, 5]));
        let mapped = [0, 1, 2, u32::MAX].map(|id| maps.map32(MappingType::Region, id));
        assert_eq!(mapped, [7, 5, 2, u32::MAX]);
        assert_eq!(maps.map32(MappingType::Comm, 0), 0);
    }

    #[test]
    fn sparse_tables_map_what_they_list_and_the_later_entry_wins() {
        let far = u64::from(u32::MAX);
        let maps = region(IdMap::Sparse(vec![(3, 1), (far, 9), (1_000_000, 2), (3, 4)]));
        let mapped = [3, 2, 0, 1_000_000, 1_000_001, u32::MAX];
        let mapped = mapped.map(|id| maps.map32(MappingType::Region, id));
        assert_eq!(mapped, [4, 2, 0, 2, 1_000_001, 9]);
    }

    #[test]
    fn all_ones_are_cut_to_undefined_of_the_width() {
        let maps = region(IdMap::Dense(vec![u64::MAX]));
        assert_eq!(maps.map32(MappingType::Region, 0), u32::MAX);
    }

    #[test]
    fn the_first_table_of_a_kind_stays_in_force() {
        let mut maps = region(IdMap::Dense(vec![7]));
        assert_eq!(maps.insert(MappingType::Region, IdMap::Dense(vec![8])), Err("REGION"));
        assert_eq!(maps.map32(MappingType::Region, 0), 7);
        assert_eq!(maps.insert(MappingType::from(15), IdMap::Dense(vec![8])), Ok(()));
        assert_eq!(maps.kinds().collect::<Vec<_>>(), [MappingType::Region]);
    }

    #[test]
    fn regions_are_renamed_behind_tables_and_without() {
        let region_of = |maps: &Mappings, id| maps.map32(MappingType::Region, id);
        let pair = |(from, to)| (RegionRef(from), RegionRef(to));
        let others: HashMap<_, _, _> = [(5, 4), (1 << 30, 3)].map(pair).into_iter().collect();
        let others = Some(Arc::new(others));
        let mut maps = Mappings::default();
        maps.rename_regions(&[], others.clone());
        let ids = [0, 4, 5, 1 << 30, u32::MAX];
        assert_eq!(ids.map(|id| region_of(&maps, id)), [0, 4, 4, 3, u32::MAX]);
        let mut maps = region(IdMap::Dense(vec![7, 5]));
        maps.rename_regions(&[pair((1, 9)), pair((20, 8)), pair((70_000, 6))], others.clone());
        let ids = [0, 1, 5, 20, 70_000, 1 << 30];
        assert_eq!(ids.map(|id| region_of(&maps, id)), [7, 9, 4, 8, 6, 3]);
        let mut maps = region(IdMap::Sparse(vec![(2, 5), (1 << 30, 5)]));
        maps.rename_regions(&[], others);
        assert_eq!([0, 2, 5, 1 << 30].map(|id| region_of(&maps, id)), [0, 4, 4, 4]);
        assert_eq!(maps.insert(MappingType::Region, IdMap::Dense(vec![8])), Err("REGION"));
    }

    /// Whatever is in arrays, or is not: a table means what it says, and others what they stand for.
    #[test]
    fn renamed_tables_say_the_same_whatever_they_list() {
        let far = 1 << 30;
        let aliases =
            [(5, 4), (90, 1), (300, 2), (SMALL as u32 - 1, 7), (SMALL as u32, 8), (far, 3)];
        let sparse = |ids: &[u32]| {
            let pair = |id: &u32| (u64::from(*id), u64::from(*id) + 90);
            IdMap::Sparse(ids.iter().map(pair).collect())
        };
        let maps = [
            None,
            Some(IdMap::Dense((0..100).map(|id| (id + 5) % 100).collect())),
            Some(sparse(&[0, 70, 300, 1000, far - 1, far])),
            Some(sparse(&[SMALL as u32 - 2, SMALL as u32 + 1, u32::MAX - 90])),
        ];
        let own_lists: [&[(u32, u32)]; 3] = [&[], &[(2, 11)], &[(70, 12), (2000, 13), (far, 14)]];
        for map in &maps {
            for own in own_lists {
                for known in [&aliases[..0], &aliases[..1], &aliases[..3], &aliases[..5], &aliases]
                {
                    expect_renamed(map.as_ref(), own, known);
                }
            }
        }
    }

    fn expect_renamed(map: Option<&IdMap>, own: &[(u32, u32)], aliases: &[(u32, u32)]) {
        let far = 1 << 30;
        let pair = |&(from, to): &(u32, u32)| (RegionRef(from), RegionRef(to));
        let mut maps = Mappings::default();
        if let Some(map) = map {
            maps.insert(MappingType::Region, map.clone()).unwrap();
        }
        let others: HashMap<_, _, _> = aliases.iter().map(pair).collect();
        let others = (!others.is_empty()).then(|| Arc::new(others));
        maps.rename_regions(&own.iter().map(pair).collect::<Vec<_>>(), others);
        let find =
            |pairs: &[(u32, u32)], id| pairs.iter().find(|(from, _)| *from == id).map(|p| p.1);
        let mapped = |id: u32| match map {
            Some(IdMap::Dense(globals)) => globals.get(id as usize).copied().unwrap_or(id.into()),
            Some(IdMap::Sparse(pairs)) => {
                let found = pairs.iter().find(|(local, _)| *local == u64::from(id));
                found.map_or(id.into(), |(_, global)| *global)
            }
            None => id.into(),
        };
        let small = SMALL as u32;
        let edges = [small - 2..small + 3, far - 1..far + 2, u32::MAX - 92..u32::MAX];
        let ids = (0..2100).chain(edges.into_iter().flatten()).chain([u32::MAX]);
        for id in ids {
            let global = find(own, id).unwrap_or_else(|| mapped(id) as u32);
            let expected = find(aliases, global).unwrap_or(global);
            assert_eq!(
                maps.map32(MappingType::Region, id),
                expected,
                "{id} {map:?} {own:?} {aliases:?}"
            );
        }
    }

    #[test]
    fn small_identifiers_are_in_the_array_where_others_stand_for_some() {
        let mut maps = Mappings::default();
        let pair = |(from, to)| (RegionRef(from), RegionRef(to));
        maps.rename_regions(
            &[],
            Some(Arc::new([(9, 2), (60_000, 1)].map(pair).into_iter().collect())),
        );
        let table = maps.table(MappingType::Region);
        assert_eq!((table.dense.len(), table.sparse.len(), table.more), (60_001, 0, false));
        maps = Mappings::default();
        maps.rename_regions(
            &[],
            Some(Arc::new([(9, 2), (70_000, 1)].map(pair).into_iter().collect())),
        );
        let table = maps.table(MappingType::Region);
        assert_eq!((table.dense.len(), table.sparse.len(), table.more), (10, 0, true));
    }

    #[test]
    fn values_are_mapped_by_their_type() {
        let mut maps = region(IdMap::Dense(vec![7]));
        maps.insert(MappingType::Location, IdMap::Dense(vec![1 << 40])).unwrap();
        assert_eq!(maps.map_value(Type::Region, 0), 7);
        assert_eq!(maps.map_value(Type::Location, 0), 1 << 40);
        assert_eq!(maps.map_value(Type::Uint64, 0), 0);
        assert_eq!(maps.map_value(Type::Unnamed(200), 0), 0);
    }
}
