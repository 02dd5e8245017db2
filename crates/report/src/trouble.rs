//! The trouble table: what a failure usually means, where to look, what to do. It stands in the report's appendix, and
//! one row of it is the diagnosis of a target that cannot be used.

use measure::ErrorClass;

use crate::Lang;

/// One row, in both languages.
#[derive(Debug, Clone, Copy)]
pub struct Trouble {
    /// What one sees: a status or a name.
    pub sign: &'static str,
    classes: &'static [ErrorClass],
    en: Advice,
    zh: Advice,
}

/// What to make of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advice {
    /// The usual cause.
    pub cause: &'static str,
    /// What to look at.
    pub look: &'static str,
    /// What to do.
    pub action: &'static str,
}

impl Trouble {
    /// The advice in a language.
    pub fn advice(&self, lang: Lang) -> Advice {
        lang.pick(self.en, self.zh)
    }
}

/// The row that fits a class, if one does.
pub fn of(class: ErrorClass) -> Option<&'static Trouble> {
    TABLE.iter().find(|trouble| trouble.classes.contains(&class))
}

const fn advice(cause: &'static str, look: &'static str, action: &'static str) -> Advice {
    Advice { cause, look, action }
}

/// The table.
pub const TABLE: &[Trouble] = &[
    Trouble {
        sign: "400",
        classes: &[ErrorClass::BadRequest],
        en: advice(
            "the request body is not valid for this api",
            "the body template: `model`, the `messages` array, the content type",
            "reproduce it with the smallest possible body",
        ),
        zh: advice("请求体不合法", "请求体模板：`model`、`messages` 数组、Content-Type", "用最小请求体复现"),
    },
    Trouble {
        sign: "401",
        classes: &[ErrorClass::Unauthorized],
        en: advice(
            "the API key is missing, wrong or expired",
            "is the variable with the key exported in this shell? is the header `Authorization: Bearer KEY` (Anthropic: `x-api-key`)?",
            "set a valid key and run again",
        ),
        zh: advice(
            "API Key 缺失、错误或已过期",
            "保存 Key 的环境变量是否已导出？请求头是否为 `Authorization: Bearer KEY`（Anthropic 为 `x-api-key`）？",
            "换用有效的 Key 后重新运行",
        ),
    },
    Trouble {
        sign: "403",
        classes: &[ErrorClass::Forbidden],
        en: advice(
            "this key may not use this model",
            "the account's list of models",
            "use another model, or ask for access",
        ),
        zh: advice("该 Key 无权使用此模型", "账号可用的模型列表", "更换模型或申请权限"),
    },
    Trouble {
        sign: "404",
        classes: &[ErrorClass::NotFound],
        en: advice(
            "the base URL or the path is wrong, or the model does not exist",
            "the final URL above: one `/v1` too many or too few, `/api` and `/v1` mixed up; the model's name",
            "check the shortest path by hand with curl",
        ),
        zh: advice(
            "Base URL 或路径错误，或模型不存在",
            "上面的最终 URL：`/v1` 多了或少了一层，`/api` 与 `/v1` 混用；模型名称",
            "用 curl 手工验证最短路径",
        ),
    },
    Trouble {
        sign: "3xx",
        classes: &[ErrorClass::Redirect],
        en: advice(
            "the address redirects; redirects are not followed",
            "the base URL: is it a web page's address, or http instead of https?",
            "use the address that the redirect names",
        ),
        zh: advice(
            "该地址返回重定向，rungs 不跟随重定向",
            "Base URL 是否为网页地址，或应使用 https",
            "改用重定向指向的地址",
        ),
    },
    Trouble {
        sign: "402 / quota",
        classes: &[ErrorClass::Quota],
        en: advice(
            "the account is used up",
            "balance and quota in the provider's console",
            "top up; waiting does not help",
        ),
        zh: advice("账号额度已用完", "服务商控制台中的余额与配额", "充值；等待无效"),
    },
    Trouble {
        sign: "429",
        classes: &[ErrorClass::RateLimited, ErrorClass::Overloaded],
        en: advice(
            "concurrency or rate is over the limit",
            "`Retry-After`, and the level at which it began",
            "lower the concurrency, back off exponentially",
        ),
        zh: advice("并发或速率超过上限", "`Retry-After` 以及开始出现的并发级别", "降低并发，指数退避"),
    },
    Trouble {
        sign: "500 502 503 504",
        classes: &[ErrorClass::ServerError],
        en: advice(
            "the upstream is overloaded, or the gateway timed out",
            "request id, time and level (kept in this report)",
            "retry, degrade, and tell the provider",
        ),
        zh: advice(
            "上游过载或网关超时",
            "请求 ID、时间与并发级别（本报告已记录）",
            "重试、降级，并联系服务商",
        ),
    },
    Trouble {
        sign: "timeout",
        classes: &[
            ErrorClass::TimeoutConnect,
            ErrorClass::TimeoutFirstToken,
            ErrorClass::TimeoutIdle,
            ErrorClass::TimeoutStall,
            ErrorClass::TimeoutTotal,
        ],
        en: advice(
            "the endpoint did not answer within the time the scenario allows",
            "`[target.timeouts]`; long outputs; for `timeout_connect`: does anything listen at that address?",
            "raise the timeout named in the message; test a single stream alone",
        ),
        zh: advice(
            "端点未在场景允许的时间内响应",
            "`[target.timeouts]`；长输出；若为 `timeout_connect`：该地址是否有服务在监听",
            "调大提示中的超时；单独测试一次流式请求",
        ),
    },
    Trouble {
        sign: "connection refused / closed",
        classes: &[ErrorClass::ConnectFailed, ErrorClass::ConnectionClosed],
        en: advice(
            "nothing listens at this address, or something between drops the connection",
            "host, port and scheme; a proxy or firewall; HTTP(S)_PROXY pointing at a dead proxy (rungs uses none by default)",
            "try the same address with curl from this machine",
        ),
        zh: advice(
            "该地址没有服务，或连接被中途断开",
            "主机、端口与协议；代理或防火墙；HTTP(S)_PROXY 是否指向失效代理（rungs 默认不使用代理）",
            "在本机用 curl 访问同一地址",
        ),
    },
    Trouble {
        sign: "stream cut",
        classes: &[ErrorClass::StreamInterrupted, ErrorClass::Truncated],
        en: advice(
            "the answer began and broke off before its end",
            "limits and timeouts of the server, of the gateway and of proxies between; a server that was restarted",
            "run again; if it stays, give the provider the request id and the time",
        ),
        zh: advice(
            "应答开始后在结束前中断",
            "服务器、网关及中间代理的限制与超时；服务器是否重启",
            "重新运行；若仍出现，把请求 ID 与时间告知服务商",
        ),
    },
    Trouble {
        sign: "DNS",
        classes: &[ErrorClass::Dns],
        en: advice(
            "the host's name cannot be resolved",
            "spelling of the host; this machine's resolver",
            "correct the host",
        ),
        zh: advice("域名无法解析", "主机名拼写；本机 DNS", "更正主机名"),
    },
    Trouble {
        sign: "TLS",
        classes: &[ErrorClass::Tls],
        en: advice(
            "the server's certificate is not accepted",
            "a private CA, an expired certificate, a wrong host name",
            "set `[target.tls] ca_file` (or `SSL_CERT_FILE`)",
        ),
        zh: advice(
            "服务器证书不被信任",
            "私有 CA、证书过期、主机名不符",
            "设置 `[target.tls] ca_file`（或 `SSL_CERT_FILE`）",
        ),
    },
    Trouble {
        sign: "unreadable answer",
        classes: &[
            ErrorClass::Malformed,
            ErrorClass::BadContentType,
            ErrorClass::EmptyOutput,
            ErrorClass::UnsupportedEncoding,
            ErrorClass::EventTooLarge,
        ],
        en: advice(
            "what answered does not speak the api of this scenario",
            "`api` in `[target]`; is `stream` set in the body? does a login page or proxy answer instead?",
            "look at the answer with curl; set `api` to what the endpoint speaks",
        ),
        zh: advice(
            "应答不符合本场景所用的 api",
            "`[target]` 中的 `api`；请求体是否设置了 `stream`；是否由登录页或代理应答",
            "用 curl 查看应答；把 `api` 改为端点实际使用的协议",
        ),
    },
    Trouble {
        sign: "error in the answer",
        classes: &[ErrorClass::InbandError, ErrorClass::GenerationError, ErrorClass::ContentFiltered],
        en: advice(
            "the server accepted the request and failed while answering",
            "its own message; the prompt",
            "tell the provider the request id",
        ),
        zh: advice("服务器接受了请求但在应答中报错", "服务器的错误信息；提示词", "把请求 ID 告知服务商"),
    },
    Trouble {
        sign: "this machine",
        classes: &[ErrorClass::ClientResource],
        en: advice(
            "descriptors or ports of this machine ran out",
            "`ulimit -n`; ports in TIME_WAIT",
            "raise the limit, or use fewer users",
        ),
        zh: advice("本机文件描述符或端口耗尽", "`ulimit -n`；TIME_WAIT 状态的端口", "提高上限或减少并发"),
    },
    Trouble {
        sign: "a bug of rungs",
        classes: &[ErrorClass::Internal],
        en: advice(
            "rungs itself failed in the middle of the request",
            "the message; whether it comes again",
            "report it with the scenario file, without keys",
        ),
        zh: advice("rungs 自身在请求过程中出错", "错误信息；能否重现", "附上去除密钥的场景文件反馈"),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_exactly_one_row() {
        for class in ErrorClass::ALL {
            let rows = TABLE.iter().filter(|trouble| trouble.classes.contains(class)).count();
            assert_eq!(rows, 1, "{class}");
        }
    }
}
