//! Layered layout of a graph (Sugiyama): positions of nodes and edges.
//!
//! Cycles are broken by a search in depth, nodes go to layers by their longest way from the begin, and each layer is
//! put in order by the means of its neighbours, a fixed number of times. So it ends for any graph. The number at an
//! edge is an item of a layer between those of nodes: nothing can lie over it.

/// Between items of a layer.
const GAP: f64 = 14.0;
/// Between layers.
const LAYER_GAP: f64 = 16.0;
/// The width of an edge that passes a layer.
const PASSING: f64 = 6.0;
/// How often layers are put in order, and items moved.
const SWEEPS: usize = 16;

/// Width and height.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Size {
    pub width: f64,
    pub height: f64,
}

/// A place in the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub x: f64,
    pub y: f64,
}

/// An edge between two nodes that are not the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub from: usize,
    pub to: usize,
    /// Of what is written at it.
    pub label: Size,
}

/// The way of an edge.
#[derive(Clone, Debug, Default)]
pub(super) struct Route {
    /// From its begin to its end; the way is vertical at each point.
    pub points: Vec<Point>,
    /// The middle of its label.
    pub label: Point,
}

/// Positions of nodes and edges.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// The middle of each node.
    pub nodes: Vec<Point>,
    pub routes: Vec<Route>,
    pub size: Size,
}

/// Item of a layer: a node, or the number of an edge.
#[derive(Clone, Copy, Debug)]
struct Item {
    layer: usize,
    size: Size,
    x: f64,
    /// Its place in the layer.
    place: usize,
}

/// Lays out nodes of these sizes. The first node is where all begins, the last one where all ends.
pub(super) fn layout(nodes: &[Size], links: &[Link]) -> Layout {
    if nodes.is_empty() {
        return Layout::default();
    }
    let (turned, ranks) = layers(nodes.len(), links);
    let mut items: Vec<Item> = nodes
        .iter()
        .zip(&ranks)
        .map(|(size, rank)| Item { layer: 2 * rank, size: *size, x: 0.0, place: 0 })
        .collect();
    // The items of each edge, from the upper node to the lower one.
    let mut chains: Vec<Vec<usize>> = Vec::with_capacity(links.len());
    let mut labels = Vec::with_capacity(links.len());
    for (at, link) in links.iter().enumerate() {
        let (upper, lower) = if turned[at] { (link.to, link.from) } else { (link.from, link.to) };
        let (begin, end) = (2 * ranks[upper], 2 * ranks[lower]);
        let middle = begin + 1 + 2 * ((end - begin) / 2 - 1).div_euclid(2);
        let mut chain = vec![upper];
        for layer in begin + 1..end {
            let is_label = layer == middle;
            let size = match is_label {
                true => link.label,
                false => Size { width: PASSING, height: 0.0 },
            };
            if is_label {
                labels.push(items.len());
            }
            chain.push(items.len());
            items.push(Item { layer, size, x: 0.0, place: 0 });
        }
        chain.push(lower);
        chains.push(chain);
    }
    let mut neighbours = Neighbours::new(items.len(), &chains);
    let mut layers = vec![Vec::new(); 1 + items.iter().map(|item| item.layer).max().unwrap_or(0)];
    items.iter().enumerate().for_each(|(at, item)| layers[item.layer].push(at));
    order(&mut layers, &mut items, &neighbours);
    place(&layers, &mut items, &mut neighbours);
    let least = items.iter().map(|item| item.x - item.size.width / 2.0).fold(f64::MAX, f64::min);
    items.iter_mut().for_each(|item| item.x -= least);
    let tops = tops(&layers, &items);
    finish(nodes.len(), &items, &chains, &labels, &turned, &tops)
}

/// Counts the layers that edges pass, all together.
pub(super) fn passed(nodes: usize, links: &[Link]) -> usize {
    let (_, ranks) = layers(nodes, links);
    links.iter().map(|link| 2 * ranks[link.from].abs_diff(ranks[link.to])).sum()
}

/// Finds edges that lead back, and the layer of each node. There is one node at least.
fn layers(nodes: usize, links: &[Link]) -> (Vec<bool>, Vec<usize>) {
    let turned = turned(nodes, links);
    let down = |at: usize| match turned[at] {
        true => (links[at].to, links[at].from),
        false => (links[at].from, links[at].to),
    };
    let mut ranks = ranks(nodes, links.len(), &down);
    // The end of all cases stands below everything, if nothing follows it.
    let last = nodes - 1;
    if !(0..links.len()).any(|at| down(at).0 == last) {
        let lowest = ranks[..last].iter().max().map_or(0, |rank| rank + 1);
        ranks[last] = ranks[last].max(lowest);
    }
    (turned, ranks)
}

/// Finds back edges by a search in depth.
fn turned(nodes: usize, links: &[Link]) -> Vec<bool> {
    let mut out = vec![Vec::new(); nodes];
    links.iter().enumerate().for_each(|(at, link)| out[link.from].push(at));
    let mut turned = vec![false; links.len()];
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut states = vec![State::New; nodes];
    for root in 0..nodes {
        if states[root] != State::New {
            continue;
        }
        states[root] = State::Open;
        let mut way = vec![(root, 0)];
        while let Some((node, next)) = way.last_mut() {
            let Some(at) = out[*node].get(*next) else {
                states[*node] = State::Done;
                way.pop();
                continue;
            };
            *next += 1;
            let to = links[*at].to;
            match states[to] {
                State::Open => turned[*at] = true,
                State::New => {
                    states[to] = State::Open;
                    way.push((to, 0));
                }
                State::Done => {}
            }
        }
    }
    turned
}

/// The longest way to each node.
fn ranks(nodes: usize, links: usize, down: &dyn Fn(usize) -> (usize, usize)) -> Vec<usize> {
    let mut out = vec![Vec::new(); nodes];
    let mut left = vec![0usize; nodes];
    for at in 0..links {
        let (upper, lower) = down(at);
        out[upper].push(lower);
        left[lower] += 1;
    }
    let mut ranks = vec![0; nodes];
    let mut ready: std::collections::VecDeque<usize> =
        (0..nodes).filter(|node| left[*node] == 0).collect();
    while let Some(node) = ready.pop_front() {
        for lower in &out[node] {
            ranks[*lower] = ranks[*lower].max(ranks[node] + 1);
            left[*lower] -= 1;
            if left[*lower] == 0 {
                ready.push_back(*lower);
            }
        }
    }
    ranks
}

/// The neighbours of items in the layers above and below.
struct Neighbours {
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
}

impl Neighbours {
    fn new(items: usize, chains: &[Vec<usize>]) -> Self {
        let (mut above, mut below) = (vec![Vec::new(); items], vec![Vec::new(); items]);
        for pair in chains.iter().flat_map(|chain| chain.windows(2)) {
            below[pair[0]].push(pair[1]);
            above[pair[1]].push(pair[0]);
        }
        Neighbours { above, below }
    }
}

/// Puts each layer in order by the mean place of the neighbours of its items.
fn order(layers: &mut [Vec<usize>], items: &mut [Item], neighbours: &Neighbours) {
    let count = layers.len();
    for sweep in 0..SWEEPS {
        let is_down = sweep % 2 == 0;
        for step in 0..count {
            let layer = &mut layers[if is_down { step } else { count - 1 - step }];
            let of = if is_down { &neighbours.above } else { &neighbours.below };
            let mean = |item: usize, items: &[Item]| {
                let near = &of[item];
                let sum: f64 = near.iter().map(|at| items[*at].place as f64).sum();
                match near.is_empty() {
                    true => items[item].place as f64,
                    false => sum / near.len() as f64,
                }
            };
            let mut keys: Vec<(f64, usize)> =
                layer.iter().map(|item| (mean(*item, items), *item)).collect();
            if sweep > 0 || !is_down || keys.iter().any(|(key, _)| *key > 0.0) {
                keys.sort_by(|one, other| one.0.total_cmp(&other.0));
            }
            *layer = keys.into_iter().map(|(_, item)| item).collect();
            layer.iter().enumerate().for_each(|(place, item)| items[*item].place = place);
        }
    }
}

/// Moves items towards their neighbours, in their order and without touching each other.
fn place(layers: &[Vec<usize>], items: &mut [Item], neighbours: &mut Neighbours) {
    for layer in layers {
        let mut x = 0.0;
        for item in layer {
            let width = items[*item].size.width;
            items[*item].x = x + width / 2.0;
            x += width + GAP;
        }
    }
    for sweep in 0..2 * SWEEPS {
        let is_down = sweep % 2 == 0;
        for step in 0..layers.len() {
            let layer = &layers[if is_down { step } else { layers.len() - 1 - step }];
            let wanted = |item: &usize| {
                let (first, second) = match is_down {
                    true => (&neighbours.above[*item], &neighbours.below[*item]),
                    false => (&neighbours.below[*item], &neighbours.above[*item]),
                };
                let near = if first.is_empty() { second } else { first };
                let sum: f64 = near.iter().map(|at| items[*at].x).sum();
                match near.is_empty() {
                    true => items[*item].x,
                    false => sum / near.len() as f64,
                }
            };
            let wanted: Vec<f64> = layer.iter().map(wanted).collect();
            let widths: Vec<f64> = layer.iter().map(|item| items[*item].size.width).collect();
            let found = without_overlap(&wanted, &widths);
            layer.iter().zip(found).for_each(|(item, x)| items[*item].x = x);
        }
    }
}

/// The places nearest to those that are wanted at which nothing touches: pools of items that touch each other lie
/// around the mean of what they want.
fn without_overlap(wanted: &[f64], widths: &[f64]) -> Vec<f64> {
    let mut offsets = Vec::with_capacity(widths.len());
    let mut offset = 0.0;
    for (at, width) in widths.iter().enumerate() {
        if at > 0 {
            offset += (widths[at - 1] + width) / 2.0 + GAP;
        }
        offsets.push(offset);
    }
    // Sum and number of each pool.
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (want, offset) in wanted.iter().zip(&offsets) {
        pools.push((want - offset, 1));
        while let [.., (before, count), (sum, number)] = pools[..] {
            if before / count as f64 <= sum / number as f64 {
                break;
            }
            pools.pop();
            pools.pop();
            pools.push((before + sum, count + number));
        }
    }
    let means =
        pools.iter().flat_map(|(sum, count)| std::iter::repeat_n(sum / *count as f64, *count));
    means.zip(&offsets).map(|(mean, offset)| mean + offset).collect()
}

/// Returns the top and the height of each layer.
fn tops(layers: &[Vec<usize>], items: &[Item]) -> Vec<Size> {
    let mut y = 0.0;
    let height =
        |layer: &Vec<usize>| layer.iter().map(|item| items[*item].size.height).fold(0.0, f64::max);
    let top = |layer: &Vec<usize>| {
        let top = Size { width: y, height: height(layer) };
        y += top.height + LAYER_GAP;
        top
    };
    layers.iter().map(top).collect()
}

fn finish(
    nodes: usize,
    items: &[Item],
    chains: &[Vec<usize>],
    labels: &[usize],
    turned: &[bool],
    tops: &[Size],
) -> Layout {
    let middle = |item: &Item| {
        let Size { width: top, height } = tops[item.layer];
        Point { x: item.x, y: top + height / 2.0 }
    };
    let ports = Ports::new(nodes, items, chains);
    let mut routes = Vec::with_capacity(chains.len());
    for (at, chain) in chains.iter().enumerate() {
        let (first, last) = (chain[0], chain[chain.len() - 1]);
        let edge = |item: usize, side: f64| {
            let Point { y, .. } = middle(&items[item]);
            y + side * items[item].size.height / 2.0
        };
        let mut points = vec![Point { x: ports.lower[at], y: edge(first, 1.0) }];
        for item in &chain[1..chain.len() - 1] {
            let Size { width: top, height } = tops[items[*item].layer];
            points.push(Point { x: items[*item].x, y: top });
            if height > 0.0 {
                points.push(Point { x: items[*item].x, y: top + height });
            }
        }
        points.push(Point { x: ports.upper[at], y: edge(last, -1.0) });
        if turned[at] {
            points.reverse();
        }
        routes.push(Route { points, label: middle(&items[labels[at]]) });
    }
    let width = items.iter().map(|item| item.x + item.size.width / 2.0).fold(0.0, f64::max);
    let height = tops.last().map_or(0.0, |last| last.width + last.height);
    let size = Size { width, height };
    Layout { nodes: items[..nodes].iter().map(middle).collect(), routes, size }
}

/// Points at which edges leave their upper node and reach their lower one.
struct Ports {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Ports {
    fn new(nodes: usize, items: &[Item], chains: &[Vec<usize>]) -> Ports {
        let (mut below, mut above) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
        for (at, chain) in chains.iter().enumerate() {
            below[chain[0]].push((items[chain[1]].x, at));
            above[chain[chain.len() - 1]].push((items[chain[chain.len() - 2]].x, at));
        }
        let spread = |of: Vec<Vec<(f64, usize)>>| {
            let mut ports = vec![0.0; chains.len()];
            for (node, mut edges) in of.into_iter().enumerate() {
                edges.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
                let Item { x, size, .. } = items[node];
                let step = size.width * 0.8 / (edges.len() + 1) as f64;
                for (number, (_, at)) in edges.iter().enumerate() {
                    ports[*at] = x - size.width * 0.4 + step * (number + 1) as f64;
                }
            }
            ports
        };
        Ports { lower: spread(below), upper: spread(above) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { width: 100.0, height: 40.0 };
    const LABEL: Size = Size { width: 20.0, height: 14.0 };

    fn overlaps(a: (Point, Size), b: (Point, Size)) -> bool {
        let near = |x: f64, y: f64, of: f64| (x - y).abs() + 0.01 < of;
        near(a.0.x, b.0.x, (a.1.width + b.1.width) / 2.0)
            && near(a.0.y, b.0.y, (a.1.height + b.1.height) / 2.0)
    }

    fn check(nodes: usize, edges: &[(usize, usize)]) {
        let link = |&(from, to): &(usize, usize)| Link { from, to, label: LABEL };
        let links: Vec<Link> = edges.iter().map(link).collect();
        let layout = layout(&vec![SIZE; nodes], &links);
        let nodes = layout.nodes.iter().map(|at| (*at, SIZE));
        let all: Vec<_> = nodes.chain(layout.routes.iter().map(|r| (r.label, LABEL))).collect();
        for (number, one) in all.iter().enumerate() {
            assert!(one.0.x.is_finite() && one.0.x <= layout.size.width);
            assert!(one.0.y >= 0.0 && one.0.y <= layout.size.height);
            for other in &all[number + 1..] {
                assert!(!overlaps(*one, *other), "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn nothing_lies_over_anything_and_it_ends() {
        check(1, &[]);
        check(3, &[(0, 1), (1, 2), (2, 1), (2, 0)]);
        check(4, &[(1, 2), (2, 3), (3, 1)]);
        let mut state = 3u64;
        let mut random = |most: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % most
        };
        for nodes in [2, 5, 12, 40] {
            let mut edges: Vec<(usize, usize)> = (0..3 * nodes)
                .map(|_| (random(nodes), random(nodes)))
                .filter(|(from, to)| from != to)
                .collect();
            edges.sort_unstable();
            edges.dedup();
            check(nodes, &edges);
        }
    }

    /// 200 activities, each of which may follow on many: no deep recursion, no endless search.
    #[test]
    fn large_graphs() {
        let edges: Vec<(usize, usize)> =
            (0..200).flat_map(|n| [(n, (n + 1) % 200), (n, (n * 7 + 3) % 200)]).collect();
        let mut edges: Vec<_> = edges.into_iter().filter(|(from, to)| from != to).collect();
        edges.sort_unstable();
        edges.dedup();
        check(200, &edges);
    }
}
