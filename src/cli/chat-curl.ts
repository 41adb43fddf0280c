/** A first request to copy, for whoever has a gateway with the simulated provider. */

/** Of the simulator's models: the first always fails with 503, the second answers. */
export const DOWN = 'sim/fail-503';
export const UP = 'sim/ok';

export function chatCurl(url: string, clientKey: string): string {
  const body = JSON.stringify({ models: [DOWN, UP], messages: [{ role: 'user', content: 'Hello' }] });
  return [
    `curl -i ${url}/v1/chat/completions`,
    `-H 'Authorization: Bearer ${clientKey}'`,
    `-H 'Content-Type: application/json'`,
    `-d '${body}'`,
  ].join(' ');
}
