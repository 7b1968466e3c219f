// Numbers from a seed: the same seed gives the same numbers in every process.
export class Random {
  constructor(seed) { this.state = seed >>> 0 || 1; }

  // A whole number from 0 to n - 1.
  below(n) {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) % n;
  }
  from(first, last) { return first + this.below(last - first + 1); }
  chance(percent) { return this.below(100) < percent; }
  pick(list) { return list[this.below(list.length)]; }
  shuffle(list) {
    for (let i = list.length; i > 1; i--) {
      const k = this.below(i);
      [list[i - 1], list[k]] = [list[k], list[i - 1]];
    }
    return list;
  }
}
