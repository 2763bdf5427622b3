// Where the stations of a map stand: a column for each depth, and places in it that let few lines cross.
//
// A line that passes a column has a place of its own there, so it never runs through a station or the name below one.
// All lines from one station share these places up to where they part.

/** @typedef {{ id: number, at: number, links: Node[], station: boolean, y: number }} Node */
/** @typedef {{ from: number, to: number, ys: number[] }} Line  its heights, column by column */

const [ABOVE, BELOW] = [0.3, 0.7]; // what a station needs, with its name below, of the distance of two
const BESIDE = 0.13; // what a line needs on either side
const SWEEPS = 24;

/**
 * For each station those that it needs, all of them earlier. Heights are in distances of two stations, from 0.
 * @type {(needs: number[][]) => { columns: number[], ys: number[], lines: Line[], height: number }}
 */
export function layout(needs) {
  /** @type {Node[][]} */
  const layers = [];
  /** @type {(id: number, at: number, station: boolean) => Node} */
  const put = (id, at, station) => {
    const node = { id, at, station, links: [], y: 0 };
    (layers[at] ??= []).push(node);
    return node;
  };
  /** @type {number[]} */
  const columns = [];
  for (const own of needs) columns.push(own.length ? 1 + Math.max(...own.map((need) => columns[need])) : 0);
  const stations = needs.map((_, i) => put(i, columns[i], true));
  const chains = stations.map((node) => [node]); // a station, and the places of its lines in the columns behind it
  needs.forEach((own, to) =>
    own.forEach((from) => {
      const chain = chains[from];
      for (let at = columns[from] + chain.length; at < columns[to]; at += 1) {
        chain.push(put(from, at, false));
        link(chain[chain.length - 2], chain[chain.length - 1]);
      }
      link(chain[columns[to] - columns[from] - 1], stations[to]);
    })
  );
  arrange(layers);
  place(layers);
  const lines = needs.flatMap((own, to) =>
    own.map((from) => {
      const passed = chains[from].slice(0, columns[to] - columns[from]);
      return { from, to, ys: [...passed, stations[to]].map(({ y }) => y) };
    })
  );
  const last = layers.map((layer) => layer[layer.length - 1]);
  return { columns, ys: stations.map(({ y }) => y), lines, height: Math.max(...last.map((n) => n.y + room(n)[1])) };
}

/** @type {(one: Node, other: Node) => void} */
function link(one, other) {
  one.links.push(other);
  other.links.push(one);
}

/** @type {(node: Node) => [above: number, below: number]} */
const room = ({ station }) => station ? [ABOVE, BELOW] : [BESIDE, BESIDE];

/** @type {(numbers: number[]) => number} */
const mean = (numbers) => numbers.reduce((total, x) => total + x, 0) / numbers.length;

/**
 * Order every column by the neighbours' mean place, there and back, and keep the order in which the fewest lines cross.
 * @type {(layers: Node[][]) => void}
 */
function arrange(layers) {
  let [best, fewest] = [layers.map((layer) => [...layer]), Infinity];
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const forth = sweep % 2 === 0;
    for (const layer of forth ? layers : [...layers].reverse()) {
      const rank = new Map(layer.map((node, i) => {
        const beside = node.links.filter(({ at }) => forth === (at < node.at));
        return [node, beside.length ? mean(beside.map((other) => layers[other.at].indexOf(other))) : i];
      }));
      layer.sort((one, other) => (rank.get(one) ?? 0) - (rank.get(other) ?? 0));
    }
    for (const layer of layers) {
      for (let i = 1; i < layer.length; i += 1) {
        const before = crossings(layers);
        [layer[i - 1], layer[i]] = [layer[i], layer[i - 1]];
        if (crossings(layers) >= before) [layer[i - 1], layer[i]] = [layer[i], layer[i - 1]];
      }
    }
    const now = crossings(layers);
    if (now < fewest) [best, fewest] = [layers.map((layer) => [...layer]), now];
  }
  best.forEach((layer, at) => layers[at] = layer);
}

/** @type {(layers: Node[][]) => number} */
function crossings(layers) {
  let count = 0;
  for (const [at, layer] of layers.entries()) {
    const lines = layer.flatMap((node, i) =>
      node.links.filter((other) => other.at > at).map((other) => [i, layers[at + 1].indexOf(other)])
    );
    for (const [a, b] of lines) count += lines.filter(([c, d]) => c > a && d < b).length;
  }
  return count;
}

/**
 * Give each its height: as near to its neighbours' as those above and below it allow.
 * @type {(layers: Node[][]) => void}
 */
function place(layers) {
  const needed = layers.map((layer) => layer.flatMap(room).reduce((total, x) => total + x, 0));
  const height = Math.max(...needed);
  for (const [at, layer] of layers.entries()) {
    let y = (height - needed[at]) / 2;
    for (const node of layer) {
      node.y = y + room(node)[0];
      y += room(node)[0] + room(node)[1];
    }
  }
  for (let sweep = 0; sweep < 4 * SWEEPS; sweep += 1) {
    for (const layer of sweep % 2 ? layers : [...layers].reverse()) {
      const wanted = layer.map((node) => node.links.length ? mean(node.links.map(({ y }) => y)) : node.y);
      let floor = 0;
      layer.forEach((node, i) => {
        node.y = Math.max(wanted[i], floor + room(node)[0]);
        floor = node.y + room(node)[1];
      });
      let ceiling = height;
      for (const node of [...layer].reverse()) {
        node.y = Math.min(node.y, ceiling - room(node)[1]);
        ceiling = node.y - room(node)[0];
      }
    }
  }
}
