/** Try everything: runs a function once for every combination of the choices it makes. */

/** Picks one of `count` possibilities, 0 to count − 1. */
export type Choose = (count: number) => number;

interface Fork {
  pick: number;
  readonly count: number;
}

/**
 * Depth first and lazy: only choices that are really made are varied, so a script's tail that nobody reads is not run
 * again. Returns how many paths there were. `mostPaths` bounds a mistake.
 */
export function everyPath(run: (choose: Choose) => void, mostPaths = 10_000_000): number {
  const forks: Fork[] = [];
  for (let paths = 1; ; paths += 1) {
    if (paths > mostPaths) throw new Error(`more than ${mostPaths} paths`);
    let depth = 0;
    run((count) => {
      let fork = forks[depth];
      if (fork === undefined) {
        fork = { pick: 0, count };
        forks.push(fork);
      }
      depth += 1;
      return fork.pick;
    });
    let last = forks.at(-1);
    while (last !== undefined && last.pick + 1 === last.count) {
      forks.pop();
      last = forks.at(-1);
    }
    if (last === undefined) return paths;
    last.pick += 1;
  }
}
