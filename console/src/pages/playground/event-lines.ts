/** Takes a stream of server-sent events apart as its pieces come: the data of each event, in order. */
export class EventLines {
  #rest = '';

  /** The data of the events that this piece completes. */
  push(piece: string): readonly string[] {
    const blocks = (this.#rest + piece).split(/\r?\n\r?\n/);
    this.#rest = blocks.pop() ?? '';
    return blocks.map(dataOf).filter((data) => data !== '');
  }
}

function dataOf(block: string): string {
  return block
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n');
}
