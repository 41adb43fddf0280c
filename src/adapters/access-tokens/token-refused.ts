/** Whoever gives out tokens said no, or the key file is none. */
export class TokenRefused extends Error {
  /** What an upstream would have answered to a bad token. */
  body(): Uint8Array {
    const error = { code: 401, message: this.message, status: 'UNAUTHENTICATED' };
    return Buffer.from(JSON.stringify({ error }));
  }
}
