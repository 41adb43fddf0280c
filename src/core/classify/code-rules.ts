/**
 * Families of error codes (F-1), compared in `codeKey` form. Decisive codes name the class by themselves; weak ones are
 * labels that providers also put on other failures: the message is heard first, they speak when it says nothing.
 */
import type { FailureClass } from '../failure.ts';

interface CodeRule {
  readonly class: FailureClass;
  readonly pattern: RegExp;
}

const rule = (failureClass: FailureClass, pattern: RegExp): CodeRule => ({ class: failureClass, pattern });

/** First match decides: the more specific families stand first. */
const DECISIVE: readonly CodeRule[] = [
  // The agreed codes of an upstream that ran the generation and declares that nothing came of it.
  rule('generation_rejected', /^upstream(?:rejected|noartifact)$/),
  rule(
    'quota_exhausted',
    /insufficient\w*(?:balance|credit|fund|quota)|(?:balance|credit|fund)s?\w*(?:insufficient|exhaust|deplet|toolow|notenough)|nocredits/,
  ),
  rule(
    'quota_exhausted',
    /arrear|overdue|unpaid|billing|paymentrequired|spend(?:ing)?limit|budget\w*exceed|exceed\w*budget|overbudget/,
  ),
  rule(
    'quota_exhausted',
    /usagelimit|usagenotincluded|freetier|freequota|(?:daily|weekly|monthly)\w*(?:limit|quota)|(?:quota|trial|plan)\w*(?:exhausted|expired|depleted|usedup)|blockedapiaccess|currentquota|resourcepack/,
  ),
  rule(
    'permission',
    /unsupportedcountry|unsupportedregion|unsupportedlocation|regionnot|countrynot|modelnotopen|notactivated|modelterms|modelpermission|notallowedmodel/,
  ),
  rule(
    'content_policy',
    /contentfilter|contentpolicy|contentmoderation|contentsecurity|contentblock(?:ed|ing|list)|moderationblock|moderationfail|moderationreject|datainspection|responsibleai|risk(?:detect|control)|sensitive|prohibitedcontent|policyviolation|usagepolicy|jailbreak|blocklist|promptblock|inputblock|safety|invalidprompt|^spii$|^recitation$/,
  ),
  rule(
    'model_not_found',
    /model\w*(?:notfound|notexist|doesnotexist|decommission|deprecat|retired|notavailable|notdeployed|unavailableforplan)|(?:deployment|inferenceprofile)\w*notfound|(?:unknown|invalid|nosuch|unsupported|unavailable)model(?:$|id|name|error|exception)|modelnotsupported|invalidendpoint|endpointnotfound/,
  ),
  rule(
    'context_length',
    /contextlength|contextwindow|context\w*exceed|exceed\w*context|contexttoolong|(?:input|prompt|tokens?|characters|message)s?toolong|prompttoolarge|maxcontext|inputlength/,
  ),
  rule('payload_too_large', /(?:request|payload|entity|content|body|file|image)toolarge|requestentity/),
  rule(
    'overloaded',
    /overload|capacity|serverbusy|toobusy|notready|systemresource|resourceinsufficient|nocapacity|serverlimit|enginelimit/,
  ),
  rule(
    'auth',
    /(?:invalid|wrong|incorrect|missing|expired|bad|no|revoked|leaked|disabled)\w{0,10}(?:apikey|accesskey|authtoken|accesstoken|credential)|apikey\w*(?:invalid|expired|missing|notfound|disabled|blocked|revoked|leaked|required)|accesstokenexpired|(?:token|key)expired|expiredtoken|^invalidtoken|authfail|authentication|unauthenticated|^unauthorized(?:$|error|exception)|signature|unrecognizedclient|accountdeactivated|organizationrestricted|invalidauth/,
  ),
  rule('unsupported', /unsupported(?!mediatype)|notsupported|notimplemented|unimplemented/),
  rule('timeout', /timeout|timedout|deadlineexceeded/),
];

/** Labels of throttling: heard after the phrases of money and capacity, before everything else. */
const THROTTLE =
  /ratelimit|limitrequest|limittoken|ratequota|toomany|throttl|slowdown|burstrate|qps|(?:request|token|rpm|tpm|concurren)\w*(?:limit|quota)\w*exceed|limitexceeded|requestlimit|concurren|requestthrottled|^requestlimitexceeded/;

/** A quota without a word about its window: the window, the wait or nothing decides. */
const SOFT_QUOTA = /quota\w*(?:exceed|limit|reach|error)|exceed\w*quota|^quota$|outofquota/;

const WEAK: readonly CodeRule[] = [
  rule('overloaded', /unavailable/),
  rule('rate_limit', /resourceexhausted|resourcehasbeenexhausted/),
  rule('permission', /permission|(?<!extra)forbidden|accessdenied|notauthorized|notallowed|unauthorized/),
  rule('model_not_found', /notfound/),
  rule(
    'server_error',
    /internal|servererror|apierror|upstream|badgateway|providererror|modelerror|streamerror|generation|unexpected|^unknown$|dataloss|^aborted$|^cancelled$|networkerror|systemerror/,
  ),
  rule(
    'invalid_request',
    /invalid|badrequest|validation|malformed|missing|required|illegal|outofrange|precondition|unprocessable|argument|parameter|unknownfield|notallowedmethod|extraforbidden|jsondecode|parseerror|mediatype|conflict/,
  ),
];

function firstOf(rules: readonly CodeRule[], codes: readonly string[]): FailureClass | null {
  for (const { class: found, pattern } of rules) if (codes.some((code) => pattern.test(code))) return found;
  return null;
}

/** The class a decisive code names; null = none of them is decisive. */
export function decisiveCode(codes: readonly string[]): FailureClass | null {
  return firstOf(DECISIVE, codes);
}

/** The class a mere label suggests. */
export function weakCode(codes: readonly string[]): FailureClass | null {
  return firstOf(WEAK, codes);
}

/** A code that speaks of throttling. */
export function isThrottleCode(codes: readonly string[]): boolean {
  return codes.some((code) => THROTTLE.test(code));
}

/** A code that speaks of a quota without saying of which window. */
export function isSoftQuotaCode(codes: readonly string[]): boolean {
  return codes.some((code) => SOFT_QUOTA.test(code));
}
