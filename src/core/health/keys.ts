/** The names under which health is remembered: stable over configuration reloads, made once per target. */

/** All names of one target (H-1's three scopes and its own). Plain strings, compared whole. */
export interface HealthKeys {
  /** URL-safe id of the target: channel and credential. */
  readonly id: string;
  /** Public model id. */
  readonly model: string;
  /** Channel id within its model. */
  readonly channelId: string;
  /** The scope of a server's faults: the channel's circuit, or that of a credential with an address of its own. */
  readonly channel: string;
  /** The circuit is the credential's own. */
  readonly ownAddress: boolean;
  /** Credential name; null where the provider has none. */
  readonly credential: string | null;
  /** The credential's scope: auth and quota. A target without credential is its channel's own. */
  readonly credentialKey: string;
  /** Credential + upstream model: rate limit, permission, model_not_found. */
  readonly credentialModel: string;
  /** Where the board that was asked last keeps this target; the board's own note, nobody else's business. */
  readonly note: BoardNote;
}

/** Spares a look-up by text for every target of every plan. */
export interface BoardNote {
  owner: object | null;
  target: object | null;
}

export interface HealthKeysInit {
  readonly model: string;
  readonly channelId: string;
  /** `ChannelEntry.healthKey`. */
  readonly channel: string;
  readonly credential: string | null;
  readonly upstreamModel: string;
  /** The credential has an address of its own, hence a circuit of its own: its server's faults are not the channel's. */
  readonly ownAddress?: boolean;
}

/** Builds the names of one target. Done when a configuration is read, never per request. */
export function healthKeys(init: HealthKeysInit): HealthKeys {
  const { model, channelId, channel, credential, upstreamModel, ownAddress = false } = init;
  const credentialKey = credential === null ? `channel ${channel}` : `credential ${credential}`;
  return {
    id: credential === null ? urlSafe(channel) : `${urlSafe(channel)}~~${urlSafe(credential)}`,
    model,
    channelId,
    channel: ownAddress ? `${channel}@${credential}` : channel,
    ownAddress,
    credential,
    credentialKey,
    // Names may hold any printable character; NUL keeps two pairs from reading alike.
    credentialModel: `${credentialKey}\u0000${upstreamModel}`,
    note: { owner: null, target: null },
  };
}

/** Letters, digits, `.`, `_`, `-` as they are, all else as `~hh` or `~uhhhh`: one text, one result. */
function urlSafe(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]/g, (unit) => {
    const code = unit.charCodeAt(0);
    return code < 256 ? `~${code.toString(16).padStart(2, '0')}` : `~u${code.toString(16).padStart(4, '0')}`;
  });
}
