/** A workspace's guardrails, compiled once per configuration: models, channels, regions and privacy (G-2). */
import { modelMatcher } from '../request/allowed-models.ts';
import { PRIVACY_LEVELS, type PrivacyLevel } from '../request/ranges.ts';
import type { SourceChannel, SourceGuardrails } from './plan-source.ts';

/** Beyond every level. */
export const ANY_PRIVACY = PRIVACY_LEVELS.length;

/** A level's number, the least private first. What is no level lets nothing private through. */
export function privacyRank(level: string): number {
  return Math.max(0, PRIVACY_LEVELS.indexOf(level as PrivacyLevel));
}

/** How private a request is that says `level`; one that says nothing is public. */
export function requestPrivacy(level: PrivacyLevel | null): number {
  return level === null ? 0 : privacyRank(level);
}

export interface Guardrails {
  deniesModel(id: string): boolean;
  deniesChannel(channel: SourceChannel): boolean;
  /** Requests may be this private at most. */
  readonly privacy: number;
}

export const NO_GUARDRAILS: Guardrails = {
  deniesModel: () => false,
  deniesChannel: () => false,
  privacy: ANY_PRIVACY,
};

/** The same object for all workspaces that forbid nothing. */
export function compileGuardrails(source: SourceGuardrails): Guardrails {
  const { denyModels, denyChannels, allowRegions, denyRegions, maxPrivacy } = source;
  const lists = [denyModels, denyChannels, denyRegions];
  if (lists.every((list) => list.length === 0) && allowRegions === null && maxPrivacy === null) return NO_GUARDRAILS;
  const deniedChannel = modelMatcher(denyChannels);
  return {
    deniesModel: modelMatcher(denyModels),
    deniesChannel: ({ healthKey, region }) => {
      if (deniedChannel(healthKey)) return true;
      if (allowRegions !== null && (region === null || !allowRegions.includes(region))) return true;
      return region !== null && denyRegions.includes(region);
    },
    privacy: maxPrivacy === null ? ANY_PRIVACY : privacyRank(maxPrivacy),
  };
}
