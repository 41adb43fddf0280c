/**
 * A name from outside for a message: in backticks like every name, cut so that a huge one does not come back as a huge
 * error, and with its control characters escaped so that it stays on its line.
 */
export function quotedName(name: string, most = 100): string {
  const cut = name.length > most ? `${name.slice(0, most)}…` : name;
  return `\`${JSON.stringify(cut).slice(1, -1).replaceAll('\\"', '"')}\``;
}
