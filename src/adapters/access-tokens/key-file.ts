/** Key files of service accounts, and the assertions signed with them. */
import { TokenRefused } from './token-refused.ts';

/** The fields that count. */
export interface KeyFile {
  readonly email: string;
  readonly privateKey: string;
  readonly keyId: string | null;
  /** Where the file says that tokens are had; null = it doesn't, or no address. */
  readonly tokenUri: string | null;
}

/** Throws TokenRefused; the message repeats nothing of the file. */
export function readKeyFile(text: string): KeyFile {
  const fields = parsed(text);
  const textOf = (key: string): string | null => {
    const value = fields[key];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const [email, privateKey, uri] = [textOf('client_email'), textOf('private_key'), textOf('token_uri')];
  if (email === null || privateKey === null) {
    throw new TokenRefused('the service account key file has no client_email or no private_key');
  }
  const tokenUri = uri !== null && /^https?:\/\//.test(uri) && URL.canParse(uri) ? uri : null;
  return { email, privateKey, keyId: textOf('private_key_id'), tokenUri };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new TokenRefused('the service account key file is no JSON');
  }
}

const LIFE_S = 3600;

/** What a token is asked for with. @param wall wall ms */
export async function assertion(file: KeyFile, audience: string, scope: string, wall: number): Promise<string> {
  // Once an hour, for the few who have such an account: nobody else carries it.
  const { importPKCS8, SignJWT } = await import('jose');
  const issuedAt = Math.floor(wall / 1000);
  const key = await importPKCS8(file.privateKey, 'RS256').catch(() => {
    throw new TokenRefused('the private_key of the service account key file can not be read');
  });
  return await new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(file.keyId === null ? {} : { kid: file.keyId }) })
    .setIssuer(file.email)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFE_S)
    .sign(key);
}
