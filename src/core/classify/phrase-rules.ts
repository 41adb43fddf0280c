/**
 * Word families of error messages, English and Chinese (F-1). Order is meaning: money before throttling, because an
 * empty account also says "limit"; capacity before throttling, because it is sent as 429; throttling before context,
 * because it advises shorter prompts.
 */
import type { FailureClass } from '../failure.ts';

/** Money, plans and spend caps: waiting a little never heals them. */
export const MONEY: readonly RegExp[] = [
  /\binsufficient (?:\w+ ){0,2}(?:balance|credits?|funds?)\b/,
  /\bbalance\b.{0,30}\b(?:too low|insufficient|not enough|exhausted|depleted|zero|negative|overdue|run out)/,
  /\b(?:low|no|negative|zero|overdue) (?:\w+ ){0,1}balance\b/,
  /\b(?:out of|not enough|no|any|more|all available|purchase|buy|add|used all)(?: of your)?(?: \w+){0,2} credits?\b/,
  /\bcredits?\b.{0,30}\b(?:exhausted|depleted|used up|expired|too low|run out|ran out|remaining: 0)/,
  /\bcredit (?:limit|balance)\b.{0,25}\b(?:exceed|reach|low|exhaust)/,
  /\b(?:can only|cannot|can't) afford\b/,
  /\b(?:spend|spending|budget|cost|billing|expense)[ -]?(?:limit|cap|threshold|quota)\b/,
  /\b(?:over|exceed\w*|out of)\b.{0,20}\bbudget\b|\bbudget\b.{0,20}\bexceed/,
  /\busage (?:limits?|quota|cap|threshold)\b|\bregain access\b/,
  /\b(?:overdue|arrears?|arrearage|in arrears|past due|unpaid|past invoices?|outstanding (?:balance|invoice|payment))\b/,
  /\bpayment (?:is )?(?:required|method|failed|overdue|due)\b|\b(?:recharge|top[ -]?up)\b|\bgood standing\b/,
  /\bbilling\b.{0,30}\b(?:not active|inactive|disabled|not enabled|to be enabled|suspended|hard limit)|\benable billing\b/,
  /\baccount\b.{0,30}\bis not active\b/,
  /\bfree (?:\w+ ){0,2}(?:tier|quota|trial|usage|allowance|allocation)\b.{0,40}\b(?:exceed|exhaust|used up|ended|expired|over|depleted|reached)|\bused up\b.{0,30}\b(?:free|quota|allocation|allowance|credits?)\b/,
  /\b(?:trial|subscription|plan|package|resource pack)\b.{0,20}\b(?:expired|ended|exhausted|used up|quota exceeded|has lapsed)/,
  /\bsubscription (?:quota|limit)\b|\b(?:key|account) limit exceeded\b|\bexceed\w* your .{0,20}\b(?:monthly|included|plan)\b/,
  /欠费|余额不足|余额已|余额为|余额.{0,4}不够|账户余额|充值|停机|透支/,
  /额度.{0,6}(?:不足|用尽|用完|耗尽|超限|已满|不够)|资源包.{0,10}(?:不足|用尽|用完|耗尽|过期)|套餐.{0,12}(?:用尽|用完|耗尽|到期|过期|已达|余量不足)/,
  /免费.{0,8}(?:额度|配额|次数).{0,8}(?:用|耗|尽|超|完)|(?:消费|支出|预算|用量).{0,6}(?:上限|限额|超出)/,
];

/** Quota words that may be a throttle: the window or the stated wait decides. */
export const SOFT_QUOTA: readonly RegExp[] = [
  /\bexceed\w* (?:your |the |its |organization |current |allocated )*quota\b|\bquota (?:has been |is |was |limit )?(?:exceeded|exhausted|reached|used up)\b/,
  /\b(?:insufficient|out of|no remaining|not enough) (?:\w+ ){0,3}quota\b|\bquota\b.{0,12}\b(?:insufficient|not enough)\b|^quota\W*$/,
  /\bquota exceeded for\b|\bexceed\w* .{0,20}\bquota\b/,
  /使用上限|次数.{0,4}上限/,
  /配额.{0,6}(?:不足|用尽|用完|耗尽|超出|超限|已满)|超出.{0,6}配额/,
];

/** Windows that pass while one waits. */
export const SHORT_WINDOW: readonly RegExp[] = [
  /(?:\b|_)per[ _-]?(?:second|minute|sec|min)(?![a-z])|\/ ?(?:second|minute|sec|min|s|m)\b|per(?:minute|second)/,
  /\b(?:rpm|tpm|qps|qpm|rps|tps|itpm|otpm|ipm)\b|(?:\d|[kw])(?:rpm|tpm|qps)\b/,
  /\bconcurren|\bburst|\bqps\b|并发|每分钟|每秒|每 ?\d* ?分钟|频率(?!惩罚)|速率/,
];

/** Windows of a plan: hours, a day, a week, a month. */
export const LONG_WINDOW: readonly RegExp[] = [
  /(?:\b|_)per[ _-]?(?:day|week|month|year)(?![a-z])|\/ ?(?:day|week|month)\b|\b(?:daily|weekly|monthly|annual)\b|(?:per|by)(?:day|week|month)\b/,
  /\b(?:rpd|tpd)\b|\b\d+[ -]?(?:hour|day)s? (?:usage |rolling )?(?:limit|window|quota)\b|\b(?:token|coding|subscription) plan\b|\bfor (?:today|this month)\b/,
  /今日|当日|今天|每日|每天|日调用|日限额|每周|本周|每月|本月|当月|月度|(?:5|五) ?小时/,
];

/** Windows that never pass by a short wait, even when one is stated. */
export const PLAN_WINDOW: readonly RegExp[] = [
  /(?:\b|_)per[ _-]?(?:week|month|year)(?![a-z])|\/ ?(?:week|month)\b|\b(?:weekly|monthly|annual)\b|(?:per|by)(?:week|month)\b/,
  /\b(?:token|coding|subscription) plan\b|每周|每月|本月|当月|月度/,
];

/** A limit was met, of whatever kind. */
export const LIMIT_MET =
  /\blimit|\bquota|\btoo many\b|\bexceed|\bthrottl|\breached\b|\ballowed\b|上限|限额|超过|超出|达到|已达|限制/;

/** The provider's own capacity. */
export const CAPACITY: readonly RegExp[] = [
  /\bover[ -]?load|\btoo busy\b|\b(?:server|service|system|model|engine|cluster|node)s?\b.{0,20}\bbusy\b|\bserver_busy\b|\bis busy\b/,
  /\b(?:high|heavy|peak|excessive|unusually high) (?:\w+ )?(?:demand|load|traffic|volume|utilization)\b|\bpeak (?:hours|usage)\b/,
  /\b(?:no|insufficient|limited|not enough|out of|at|full|over|exceed\w*|lack of|available|reached) (?:\w+ ){0,3}capacity\b(?! of)/,
  /\bcapacity\b.{0,25}\b(?:exceed|limit|constrain|exhaust|reached|unavailable|not available|insufficient|full)/,
  /\btemporar\w+ (?:\w+ )?(?:unavailable|overcrowded|at capacity|out of|down)\b|\bcurrently (?:\w+ )?(?:unavailable|unable|not available|down)\b/,
  /\bservice (?:is |temporarily )?unavailable\b|\bunable to (?:handle|process your request)\b|\bunhealthy\b/,
  /\bno (?:available|healthy|free|idle|live|ready) (?:\w+ )?(?:worker|instance|node|replica|server|upstream|backend|host|channel|deployment|machine|gpu|endpoint|slot)s?\b|\bno (?:deployment|worker|instance|replica)s? (?:are |is )?available\b/,
  /\b(?:worker|queue|pending requests?|in-?flight)\b.{0,40}\b(?:limit|full|exceed|reached|maximum|too long)|\bmaximum pending requests\b/,
  /\bnot (?:yet )?ready\b|\bmodel\b.{0,60}\b(?:is|still|currently) (?:\w+ )?loading\b|\b(?:warming|starting|spinning|scaling) up\b|\bcold start\b/,
  /\brequires more system memory\b|\b(?:insufficient|not enough|lack of) (?:\w+ )?(?:resources?|gpus?|memory|compute)\b|\bresources? (?:is |are )?(?:currently )?(?:insufficient|unavailable)\b/,
  /繁忙|过载|超载|负载.{0,4}(?:高|饱和|过|重|满)|访问量(?:过大|过高|较大)|拥挤|拥堵|资源(?:不足|紧张)|算力(?:不足|紧张)|排队|暂时?不可用|高峰/,
];

/** Throttling. */
export const THROTTLE: readonly RegExp[] = [
  /\brate[ -_]?limit|\btoo many (?:requests|concurrent|connections|calls|queries)\b|\bthrottl|\bslow(?:ing)? down\b|\btoo many tokens\b.{0,40}\bwait\b/,
  /\b(?:requests?|tokens?|queries|calls|images|messages)\b.{0,12}(?:per|\/) ?(?:second|minute|sec|min|s|m)\b/,
  /\b(?:request|token|concurrency|concurrent|qps|rpm|tpm|frequency|connection|parallel)\w*\b.{0,25}\b(?:limit|quota)\b.{0,25}\b(?:reach|exceed|hit)/,
  /\b(?:exceed\w*|reach\w*|hit|over)\b.{0,40}\b(?:qps|rpm|tpm|concurren\w*|request(?:s|) limit|rate)\b/,
  /\bincreased? too (?:quickly|fast)\b|\btoo (?:frequent(?:ly)?|quickly|fast)\b|\brequest limit\b|\bhigh concurrency\b|\bconcurrency\b.{0,20}\b(?:limit|exceed|too high)/,
  /速率|频率(?!惩罚)|频繁|限流|限速|并发|请求过多|请求(?:数|量|次数)(?:过|超)|请求超(?:出|过)(?!.{0,12}(?:长度|大小|token|上下文))|每分钟|每秒|过快|次数过多|请求太(?:多|快)|\bqps\b|流控/,
];

/** The key or its holder is not known. */
export const KEY: readonly RegExp[] = [
  /\b(?:invalid|incorrect|wrong|bad|malformed|missing|expired|revoked|unknown|disabled|inactive|no|unrecognized|unauthorized)\s+(?:or \w+ )?(?:x-)?(?:\w+ )?(?:api|access|secret|auth|authentication|authorization|bearer|subscription|service)[\s_-]*(?:key|token|header|credentials?|id)s?\b/,
  /\binvalid (?:token|bearer|credentials?|signature|authorization|authentication)\b(?! (?:count|limit|budget|usage|length))|\binvalid x-api-key\b/,
  /\b(?:api|access|secret|subscription|auth)[\s_-]?(?:key|token)s?\b.{0,60}\b(?:invalid|incorrect|expired|revoked|disabled|deleted|leaked|missing|required|not (?:valid|found|active|exist|provided|recognized|authorized)|(?:is|was) (?:not|blocked)|does not exist|could not be)/,
  /\b(?:didn't|did not|must|please|need to) (?:provide|supply|include|specify|pass|send)\b.{0,25}\b(?:api[ _-]?key|authorization|credentials?|bearer|access token)\b/,
  /\b(?:token|signature|credentials?|jwt)\b (?:is |has |are |was |have )?(?:been )?(?:invalid|expired|revoked|incorrect|unusable|malformed)\b/,
  /\bauthenticat\w+ (?:fail|error|required|unsuccessful|credentials)|\bfail\w* (?:to )?authenticat|\b(?:un|not )authenticated\b|\bno auth\w* (?:credentials|header)/,
  /\b(?:credentials?|signature)\b.{0,30}\b(?:could not|cannot|can't|not) (?:be )?(?:validated|verified|match)|\binvalid\b.{0,30}\bcredentials?\b|\bsecurity token\b/,
  /(?:api ?-?key|密钥|秘钥|令牌|鉴权|认证|身份验证|身份认证|签名|(?<![a-z_])token(?!s)|凭证|凭据).{0,10}(?:无效|错误|失败|过期|不存在|未提供|不正确|不合法|失效|有误|非法|为空|缺失)/,
  /(?:无效|错误|非法|过期|失效|不正确|不合法|缺少|未提供)的?.{0,4}(?:api ?-?key|密钥|秘钥|令牌|(?<![a-z_])token(?!s)|凭证|签名|身份)|未登录|请登录/,
];

/** The account or resource as such is shut. */
export const SHUT: readonly RegExp[] = [
  /\b(?:account|organization|organisation|resource|project|workspace|subscription|user|tenant|deployment)\b.{0,40}\b(?:blocked|suspended|disabled|banned|terminated|deactivated|restricted|frozen)\b/,
  /(?:账户|账号|帐号|用户|项目).{0,8}(?:封禁|冻结|停用|禁用|锁定|注销|异常|非活动)/,
];

export const CONTENT: readonly RegExp[] = [
  /\bcontent[ _-]?(?:management|filter|polic|moderation|security|safety|exists risk|violat|block(?:ed|ing|list))|\bsafety (?:system|filter|polic|setting|guideline|check|reason|concern)/,
  /\bmoderation\b|\bflagged\b|\bjailbreak|\brecitation\b|\bnew_sensitive\b|\bprohibited_content\b/,
  /\b(?:inappropriate|sensitive|harmful|prohibited|disallowed|unsafe|illegal|offensive|objectionable|explicit|nsfw|sexual|violent)\b(?: or \w+)?(?: \w+){0,2} (?:content|information|text|material|words?|data|input|output|images?|topics?|prompts?|language)\b/,
  /\b(?:usage|acceptable[ -]use|content|safety|responsible ai|community) (?:polic|guideline|standard)/,
  /\bviolat\w+\b.{0,60}\b(?:polic|terms|guideline|rule|regulation|law)/,
  /\bhigh[ -]?risk\b|\brisk (?:control|detection)\b|\b(?:contains?|include[sd]?) (?:\w+ ){0,2}(?:sensitive|inappropriate|prohibited|unsafe)\b/,
  /\b(?:prompt|input|output|response|request|image|content)\b.{0,30}\b(?:blocked|filtered|rejected|refused|denied)\b.{0,40}\b(?:safety|content|polic|filter|prohibit|risk)/,
  /(?<!大小写)敏感|违规|违法|不合规|不安全|内容安全|安全审核|审核(?:未|不|没)|风控|色情|不良信息|不当内容|内容审查|策略阻止|违反.{0,12}(?:政策|规定|法规|条款|准则)|有害/,
];

/** An overflow told by its symptom: the room left for the answer went negative. */
export const OVERFLOW = /\bmax_(?:\w+_)?tokens\b.{0,60}(?:got|=|:|is)\s*-\d/;

/** A cap on the answer's length, which is no overflow of the context. */
export const OUTPUT_CAP =
  /\bmax_(?:\w+_)?tokens\b|\bmax(?:imum)? (?:\w+ ){0,3}(?:output|completion|new)? ?tokens (?:you )?(?:requested|allowed|must|should|is|value)|\bmaximum tokens\b|\bmaxoutputtokens\b/;

export const CONTEXT: readonly RegExp[] = [
  /\b(?:prompt|input)[ _]?(?:tokens?|length)\b.{0,40}\b(?:must be|should be|less than|at most|no more than|below|<=)|\bmax_(?:seq|model|input|position)\w*_?(?:len|length)\b/,
  /\b(?:max(?:imum)?|available|model'?s?) (?:\w+ ){0,3}context\b|\bcontext[ _-]?(?:length|window|size|limit)\b|\bexceed\w* (?:\w+ ){0,3}context\b|\bn_ctx\b|\bn_keep\b/,
  /\b(?:prompt|input|messages?|conversation|text|query|document|sequence|history)\b (?:\w+ ){0,4}?too (?:long|large|big)\b|\btoo (?:long|large) (?:a )?(?:prompt|input)\b|\btokens? too long\b/,
  /\b(?:input|prompt|request|messages?|conversation|context|tokens?)\b.{0,50}\b(?:exceed\w*|longer than|greater than|larger than|surpass\w*|over|beyond)\b.{0,70}\b(?:tokens?|length|context|window|max(?:imum)? (?:input|prompt))\b/,
  /\breduce (?:the |your )?(?:\w+ )?(?:length|size) of (?:the |your )?(?:messages?|prompt|input|conversation)|\b(?:shorten|truncate|shorter) (?:the |your )?(?:messages?|prompt|input|conversation)\b/,
  /\btoken (?:count|limit|length)\b.{0,30}\bexceed|\bexceed\w*\b.{0,30}\btoken limit\b|\btoo many (?:input |prompt |total )?tokens\b|\btoken count (?:is )?\(?\d+\)? but\b/,
  /\binputs?`? tokens \+|\b(?:inputs?|prompt)`? must have less than \d+ tokens|\b(?:range of )?input length\b|\bmax(?:imum)? (?:input|prompt|sequence) (?:length|tokens|characters|size)\b|\bmax input characters\b/,
  /超长|上下文|(?:输入|提示|文本|prompt|token|消息|内容|请求).{0,12}(?:过长|太长|超(?:出|过).{0,10}(?:长度|token|窗口|最大|限制|上限))|长度.{0,8}(?:超|过长)|超(?:出|过).{0,10}(?:长度|token|窗口)/,
];

/** A feature the model lacks, told in words that otherwise mean a missing model. */
export const LACKS =
  /\bis not enabled for models?\b|\b(?:function calling|tool use|tools?|developer instruction|system instruction|json mode|thinking|vision|streaming)\b.{0,30}\bnot (?:enabled|available|supported)\b|\bno endpoints? found that support|\bnot support (?:the )?(?:tool|function|image|vision|audio|json|stream|system)/;

export const MODEL: readonly RegExp[] = [
  /\bmodels?\b.{0,120}\b(?:not found|(?:does|do)(?: not|n't) exist|(?<!may )not exist|no longer (?:available|supported)|decommissioned|deprecated|retired|not deployed|been (?:removed|shut down|discontinued)|end of life|not available(?! in)|is unavailable|is unknown)/,
  /\b(?:no such|unknown|invalid|nonexistent|unrecognized|unsupported|unavailable|incorrect|no matching) model\b|\bnot a valid model\b|\bnot found the model\b|\bunable to (?:access|find|load) (?:[\w-]+ ){0,2}model\b|\bcould not find (?:the )?model\b/,
  /\bmodel (?:identifier|id|name|code)?\b.{0,80}\b(?:is|was) (?:invalid|incorrect|not valid|not recognized|unrecognized)\b|\bmodel\b.{0,60}\bis not supported(?!.{0,20}\b(?:with|when|parameter)\b)|\bmodel_not_found\b/,
  /\bdeployment\b.{0,60}\b(?:not exist|not found|doesn't exist)|\bendpoint\b.{0,60}\b(?:not exist|not found|closed|doesn't exist)|\bno (?:endpoints?|allowed providers|providers?) (?:found|are available|available)\b|\btry pulling it\b/,
  /模型.{0,40}(?:不存在|未找到|找不到|无效|已下线|下架|不可用|停止服务|已废弃|不支持$)|(?:不存在|无效|未知|错误)的?.{0,4}模型|无可用渠道|找不到.{0,10}模型/,
];

export const PERMISSION: readonly RegExp[] = [
  /\bpermissions?\b|\bnot (?:authori[sz]ed|entitled|allowed|permitted) (?:to|for|access)\b|\baccess\b.{0,60}\b(?:denied|forbidden|restricted|blocked)\b|\bforbidden\b/,
  /\b(?:don't|do not|doesn't|does not|no|without) have (?:\w+ ){0,2}access\b|\bno access\b|\black\w* access\b/,
  /\b(?:country|region|territory|location)\b.{0,40}\b(?:not|un)[ -]?(?:supported|available|allowed)|\b(?:not|un)[ -]?(?:supported|available|allowed) in your (?:country|region|location)|\bunsupported (?:countr|region|location|territor)/,
  /\bnot (?:been )?(?:activated|enabled|subscribed|purchased|opened)\b|\buse-case form\b|\b(?:must|need to|have to|please) (?:\w+ )?(?:accept|agree|be verified|verify your)\b|\bgated\b|\brequesting access\b/,
  /\bdata policy\b|\bguardrail restrictions\b|\bterms (?:acceptance|of service)\b|\bip (?:address )?(?:is )?not\b|\ballow-?list\b|\bwhitelist/,
  /权限|无权|未开通|未授权|未激活|禁止访问|拒绝访问|没有访问|不允许访问|白名单|尚未订阅/,
];

export const UNSUPPORTED: readonly RegExp[] = [
  /(?:\bnot|n't|\bun|\bnever)[ -]?support(?:ed|s)?\b|\bno support for\b|\bnot (?:implemented|compatible)\b|\bincompatible with\b|\bonly supports?\b/,
  /\bmust be set to (?:false|true)\b|\bnot (?:available|enabled|allowed) (?:for|with|on|when using) this (?:model|endpoint)\b|\bcannot be used (?:with|together)/,
  /不支持|暂不支持|尚未支持|仅支持|不可同时/,
];

export const TOO_LARGE: readonly RegExp[] = [
  /\b(?:request|payload|body|entity|file|image|content|upload|media|attachment)s?\b (?:\w+ ){0,4}too large\b/,
  /\b(?:request|payload|body|file|image|upload|media|attachment|content)\b.{0,40}\bexceed\w*\b.{0,40}(?:\bsize\b|\bbytes\b|\d ?(?:mb|kb|mib|kib|gb|m)\b)|\bmaximum (?:request|body|payload|file|content|image|upload) size\b/,
  /(?:请求体?|文件|图片|附件).{0,8}(?:过大|太大|超过.{0,10}(?:大小|mb|m\b))/,
];

export const TIMED_OUT =
  /\btime[d]?[ -]?out\b|\btimeout\b|\bdeadline (?:was )?(?:exceeded|expired)\b|\btook too long\b|超时/;

/** The server's own fault, in words that any server uses. */
export const BROKEN =
  /\binternal\b.{0,20}\b(?:error|failure|exception)\b|\bserver (?:had an |encountered an |side )?error\b|\b(?:unexpected|unknown|unhandled) (?:\w+ )?(?:error|exception|failure)\b|\bsomething went wrong\b|\bbad gateway\b|\bupstream\b.{0,20}\b(?:error|fail|connect|disconnect)|\bexception occurred\b|\bout of memory\b|内部(?:错误|异常)|(?:服务|系统|服务器|网络).{0,4}(?:错误|异常|出错)|未知错误/;

/** The request itself is at fault. */
export const FAULTY =
  /\binvalid\b|\bmust (?:be|have|contain|not)\b|\brequired\b|\bmissing\b|\bnot (?:a )?valid\b|\bexpected\b|\bmalformed\b|\bunrecognized\b|\bunknown (?:parameter|field|argument)\b|\bnot permitted\b|\bshould be\b|\bparse\b|参数|格式(?:错误|不正确)|缺少|必填|非法/;

export function anyOf(patterns: readonly RegExp[], text: string): boolean {
  return patterns.some((pattern) => pattern.test(text));
}

/** Families that name their class by themselves, in the order they are asked after money, capacity and throttling. */
export const NAMED: readonly (readonly [FailureClass, readonly RegExp[]])[] = [
  ['auth', KEY],
  ['permission', SHUT],
  ['content_policy', CONTENT],
];

/** Brings a message into the form the families are written for: lower case, straight quotes, no addresses. */
export function phraseText(texts: readonly string[]): string {
  return texts
    .join('\n')
    .slice(0, 16_384)
    .toLowerCase()
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/\bhttps?:\/\/\S+/g, ' ')
    .replace(/\bcase[- ]sensitive/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
