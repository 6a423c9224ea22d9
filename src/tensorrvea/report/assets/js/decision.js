// The formulas of tensorrvea/decision.py, in the same order of operations, so that ties are resolved alike.

"use strict";

// Normalise the objectives of the given rows: 0 is the best value among them, 1 the worst.
function normalise(F, m, signs, rows) {
  const a = new Float64Array(rows.length * m);
  for (let j = 0; j < m; j++) {
    let ideal = Infinity;
    let nadir = -Infinity;
    for (let k = 0; k < rows.length; k++) {
      const value = F[rows[k] * m + j] * signs[j];
      if (value < ideal) ideal = value;
      if (value > nadir) nadir = value;
    }
    const span = nadir > ideal ? nadir - ideal : 1;
    for (let k = 0; k < rows.length; k++) a[k * m + j] = (F[rows[k] * m + j] * signs[j] - ideal) / span;
  }
  return a;
}

// Position of the smallest weighted sum, or of the smallest max_j w_j a_j and then the smallest sum.
function bestByWeights(a, m, weights, method) {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const w = weights.map((weight) => weight / all);
  let best = -1;
  let bestSum = Infinity;
  let bestLargest = Infinity;
  for (let k = 0; k * m < a.length; k++) {
    let sum = 0;
    let largest = 0;
    for (let j = 0; j < m; j++) {
      const term = a[k * m + j] * w[j];
      sum += term;
      if (term > largest) largest = term;
    }
    const better = method === "sum" ? sum < bestSum : largest < bestLargest || (largest === bestLargest && sum < bestSum);
    if (better) [best, bestSum, bestLargest] = [k, sum, largest];
  }
  return best;
}

// Position of the largest box ∏ (1 - a_j) between a solution and the worst values, and then the smallest sum.
function knee(a, m) {
  let best = -1;
  let bestBox = -Infinity;
  let bestSum = Infinity;
  for (let k = 0; k * m < a.length; k++) {
    let box = 1;
    let sum = 0;
    for (let j = 0; j < m; j++) {
      box *= 1 - a[k * m + j];
      sum += a[k * m + j];
    }
    if (box > bestBox || (box === bestBox && sum < bestSum)) [best, bestBox, bestSum] = [k, box, sum];
  }
  return best;
}
