/** Made by `node scripts/console-api.mjs` from the gateway's OpenAPI document; not to be edited. */
export interface paths {
    "/admin/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who has signed in. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Session"];
                    };
                };
                /** @description There is no session, or it is over. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Signs in: opens a session and sets its cookie.
         * @description For everybody with a token: admins and members.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description The admin token, or a member’s. */
                        token: string;
                    };
                };
            };
            responses: {
                /** @description Signed in. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Session"];
                    };
                };
                /** @description The body cannot be used; `param` names the field. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is wrong. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description A page of another site asks. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description Too many sign-ins have failed; `retry_at` says when the next is taken. */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        /** Signs out: the session ends everywhere, and its cookie goes. */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Signed out. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
                /** @description Without `X-Understudy-CSRF`, or from a page of another site. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Traffic, outcomes, retries, fallbacks, latencies and cost of a window in steps, beside the time before; what covers for what, and which targets fail.
         * @description For account admins, and for a workspace admin inside its own workspace (usage.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description Requests that began from this instant on; default an hour before `to`. */
                    from?: string;
                    /** @description And before this one; default now. At most 31 days after `from`. */
                    to?: string;
                    /** @description Only this workspace. */
                    workspace?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Overview"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests, newest first, without stages, candidates and attempts.
         * @description For account admins, and for a workspace admin inside its own workspace (requests.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description Requests from this instant on. */
                    from?: string;
                    /** @description Requests before this instant. */
                    to?: string;
                    /** @description Name of the workspace. */
                    workspace?: string;
                    /** @description Name of the client key. */
                    key?: string;
                    /** @description Model as requested, by its own name or a virtual one’s, or as served. */
                    model?: string;
                    /** @description HTTP status the client got. */
                    status?: number;
                    /** @description Unified outcome. */
                    outcome?: "success" | "client_error" | "upstream_rate_limited" | "upstream_unavailable" | "network_unknown" | "safety_refusal";
                    /** @description Whether more than one model was attempted. */
                    failover?: boolean;
                    /** @description Whether the answer was degraded. */
                    degraded?: boolean;
                    /** @description Hash of an idempotency key, or `any`, or `none`. */
                    idempotency?: string;
                    /** @description Page size. */
                    limit?: number;
                    /** @description `next_cursor` of the page before. A page with fewer rows than `limit`, or none, may have one: where few of very many requests match, the search goes on from there. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["RequestSummary"][];
                            next_cursor: string | null;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/requests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One request with its routing trace.
         * @description For account admins, and for a workspace admin inside its own workspace (requests.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description `events`: also the recorded events and the setup they started from: with them every decision can be made again. */
                    include?: "events";
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RequestRecord"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/requests/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests as a file, newest first, sent while it is read. In CSV, text that begins with = + - @ tab or return has a ' before it, so that no spreadsheet takes it for a formula.
         * @description For account admins, and for a workspace admin inside its own workspace (requests.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description CSV (RFC 4180), or a JSON object a line. */
                    format?: "csv" | "ndjson";
                    /** @description Requests from this instant on. */
                    from?: string;
                    /** @description Requests before this instant. */
                    to?: string;
                    /** @description Name of the workspace. */
                    workspace?: string;
                    /** @description Name of the client key. */
                    key?: string;
                    /** @description Model as requested, by its own name or a virtual one’s, or as served. */
                    model?: string;
                    /** @description HTTP status the client got. */
                    status?: number;
                    /** @description Unified outcome. */
                    outcome?: "success" | "client_error" | "upstream_rate_limited" | "upstream_unavailable" | "network_unknown" | "safety_refusal";
                    /** @description Whether more than one model was attempted. */
                    failover?: boolean;
                    /** @description Whether the answer was degraded. */
                    degraded?: boolean;
                    /** @description Hash of an idempotency key, or `any`, or `none`. */
                    idempotency?: string;
                    /** @description Rows at most; the answer says so in `x-understudy-export-limit`. Go on with `to` where it ended. */
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/csv": string;
                        "application/x-ndjson": string;
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/requests/running": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests under way at this gateway, the newest 200, newest first, with their attempts so far.
         * @description For account admins, and for a workspace admin inside its own workspace (requests.read).
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["RunningRequest"][];
                            total: number;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/requests/running/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One request under way at this gateway, by its id or the client’s own. One that is over is shown by its id, with the state `finished`.
         * @description For account admins, and for a workspace admin inside its own workspace (requests.read).
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RunningRequest"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/health/targets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every target with its state, by id.
         * @description For account admins, and for a workspace admin inside its own workspace (targets.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description Only targets that its requests could use. */
                    workspace?: string;
                    /** @description Page size. */
                    limit?: number;
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["HealthTarget"][];
                            next_cursor: string | null;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/health/targets/{id}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forgets the cooldowns and the open circuit of a target, also for targets that share them. A drain stays.
         * @description For account admins (targets.change).
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HealthTarget"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/health/targets/{id}/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Takes a target out of every new plan; running calls finish.
         * @description For account admins (targets.change).
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HealthTarget"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/health/targets/{id}/undrain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lets a drained target take part again.
         * @description For account admins (targets.change).
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HealthTarget"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Built-in alerts that are on, of all replicas; then what this replica told of late, the latest first.
         * @description For account admins, and for a workspace admin inside its own workspace (alerts.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description Only these. */
                    state?: "active" | "over" | "told";
                    /** @description Page size. */
                    limit?: number;
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Alert"][];
                            next_cursor: string | null;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What would become of a chat request of a key, calling nobody. A request that is wrong in itself gets the error it would get. `POST /v1/plan` with the client key answers the same without names of credentials.
         * @description For account admins, and for a workspace admin inside its own workspace (plans.read).
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Name of the client key that would send it. */
                        key: string;
                        /** @description The body, as for /v1/chat/completions. */
                        request: {
                            [key: string]: unknown;
                        };
                        /** @description Headers it would come with: X-Understudy-Models, X-Understudy-Redundancy, announced timeouts. */
                        headers?: {
                            [key: string]: string;
                        };
                    };
                };
            };
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Plan"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests, tokens, cost and waste by key, workspace or model, from the records that are kept.
         * @description For account admins, and for a workspace admin inside its own workspace (usage.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description What to sum up by. */
                    by?: "key" | "workspace" | "model";
                    /** @description From this instant on; default 30 days before `to`. */
                    from?: string;
                    /** @description Before this instant; default now. */
                    to?: string;
                    /** @description Only this workspace. */
                    workspace?: string;
                    /** @description Page size. */
                    limit?: number;
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["UsageSum"][];
                            next_cursor: string | null;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Workspaces by name; of a workspace’s admin its own.
         * @description For account admins, and for a workspace admin inside its own workspace (workspaces.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description Only those of this workspace. */
                    workspace?: string;
                    /** @description Page size. */
                    limit?: number;
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Workspace"][];
                            next_cursor: string | null;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Makes a workspace.
         * @description For account admins (workspaces.make).
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description Models this workspace may use.
                         * @default [
                         *       "*"
                         *     ]
                         */
                        enabled_models?: string[];
                        /**
                         * @description Channels whose platform credentials it may use (P-1); its own credentials may be used at all.
                         * @default [
                         *       "*"
                         *     ]
                         */
                        enabled_channels?: string[];
                        /** @description Defaults of the workspace. */
                        redundancy?: {
                            /**
                             * @description The decision table that rules (D). Default: `standard`.
                             * @enum {string}
                             */
                            policy?: "standard" | "strict" | "permissive";
                            /** @description Which failures let a request leave its model (C-4). `[]`: none. Default: the four triggers. */
                            on?: ("connection_error" | "server_error" | "rate_limit" | "timeout" | "auth" | "model_not_found" | "context_length" | "content_policy" | "empty")[];
                            /** @description `false` keeps a request on its first model (C-8). Default: `true`. */
                            cross_model?: boolean;
                            /** @description Pass over models that cannot do what is asked, instead of 400 (P-6). Default: `false`. */
                            skip_incapable?: boolean;
                            /** @description Longest time of one attempt until it commits (T-3). Default: `300000`. */
                            timeout_ms?: number;
                            /** @description Longest wait for the first content token (T-3). Default: `60000`. */
                            first_token_timeout_ms?: number;
                            /** @description Longest pause between bytes of a committed stream (T-3). Default: `60000`. */
                            idle_timeout_ms?: number;
                            /** @description Longest pause between content events of a committed stream (T-3). Default: `300000`. */
                            stall_timeout_ms?: number;
                            /** @description Further calls to one target after backoff (D-9). Default: 2 under `strict`; 1 under `standard` when there is a single target; else 0. */
                            retries?: number;
                            /** @description Most upstream calls of one request (D-4). Default: `6`. */
                            max_attempts?: number;
                            /** @description Longest time of a request until commit (D-4). Default: `570000`. */
                            deadline_ms?: number;
                            /** @description Most one request may cost, judged by the worst case of each attempt (D-4). Of several the lowest holds. */
                            max_cost_usd?: number;
                            /** @description Longest wait for a target to come back (D-3). Default: `5000`. */
                            max_wait_ms?: number;
                            /**
                             * @description `low` never leaves its model and is shed first (C-4). Default: `normal`.
                             * @enum {string}
                             */
                            priority?: "low" | "normal" | "high";
                            /**
                             * @description How private the request is: only channels whose `max_privacy` covers it are called (G-2). Default: `public`.
                             * @enum {string}
                             */
                            privacy_level?: "public" | "internal" | "confidential" | "restricted";
                            /**
                             * @description When an answer starts to flow to the client (T-9). Default: `first_token`.
                             * @enum {string}
                             */
                            commit?: "first_token" | "complete";
                            /** @description Most bytes held under `commit: complete` (T-9). Default: `8388608`. */
                            max_held_bytes?: number | string;
                            /** @description Start the next target in parallel after this long without a token; the first to answer is served (D-8). Default: never. */
                            hedge_after_ms?: number;
                            /**
                             * @description An answer that its length cut off is asked for once more with twice the output budget; not for streams (D-5). Default: it is served as it is.
                             * @enum {string}
                             */
                            on_truncated?: "extend";
                            /**
                             * @description What a second request under a running key gets (I-6). Not available in this version: only `join`.
                             * @enum {string}
                             */
                            on_duplicate?: "join" | "reject";
                            /** @description A call under an idempotency key runs on when its client leaves, for the next request of the key (T-6). Default `true`. */
                            finish_on_disconnect?: boolean;
                            /** @description What answers when everything failed (E-4), in order: `busy`, `{cache: {max_age_s: 60}}`, `{default: NAME}`. */
                            on_exhausted?: ("busy" | {
                                cache: {
                                    max_age_s: number;
                                };
                            } | {
                                default: string;
                            })[];
                        };
                        /** @description The most a request may ask for: numbers above are clamped and shown in the record, policies refused. */
                        ceilings?: {
                            max_attempts?: number;
                            retries?: number;
                            deadline_ms?: number;
                            timeout_ms?: number;
                            max_wait_ms?: number;
                            max_cost_usd?: number;
                            max_held_bytes?: number | string;
                            /** @description Policies a request may name. */
                            policies?: ("standard" | "strict" | "permissive")[];
                        };
                        /** @description Tried last, after a plain or virtual model failed, or where the one asked for is not enabled (C-7). */
                        default_model?: string | null;
                        routing?: {
                            /**
                             * @description How the channels of a model are ordered (P-2). Default: `priority`.
                             * @enum {string}
                             */
                            strategy?: "priority" | "price" | "latency" | "throughput" | "least_busy" | "weighted" | "round_robin";
                            /**
                             * @description Keeps a caller on its first healthy channel for 10 minutes, known by this field of its requests. Default: `none`.
                             * @enum {string}
                             */
                            affinity?: "none" | "prompt_cache_key" | "user";
                            /** @description `prefer` moves a channel to the front; `byok_only` lets nothing be called but the own credentials of such channels (P-3). */
                            channels?: {
                                [key: string]: {
                                    [key: string]: {
                                        prefer?: boolean;
                                        byok_only?: boolean;
                                    };
                                };
                            };
                        };
                        /** @description Own names for lists of models (C-6). A request names one alone, as its `model`. */
                        virtual_models?: {
                            [key: string]: {
                                /** @description Up to 10, in the order to try. What a key may not call it is never given (G-3). */
                                models: string[];
                                routing?: {
                                    /**
                                     * @description How the channels of a model are ordered (P-2). Default: `priority`.
                                     * @enum {string}
                                     */
                                    strategy?: "priority" | "price" | "latency" | "throughput" | "least_busy" | "weighted" | "round_robin";
                                    /**
                                     * @description Keeps a caller on its first healthy channel for 10 minutes, known by this field of its requests. Default: `none`.
                                     * @enum {string}
                                     */
                                    affinity?: "none" | "prompt_cache_key" | "user";
                                    /** @description `prefer` moves a channel to the front; `byok_only` lets nothing be called but the own credentials of such channels (P-3). */
                                    channels?: {
                                        [key: string]: {
                                            [key: string]: {
                                                prefer?: boolean;
                                                byok_only?: boolean;
                                            };
                                        };
                                    };
                                };
                                redundancy?: {
                                    /**
                                     * @description The decision table that rules (D). Default: `standard`.
                                     * @enum {string}
                                     */
                                    policy?: "standard" | "strict" | "permissive";
                                    /** @description Which failures let a request leave its model (C-4). `[]`: none. Default: the four triggers. */
                                    on?: ("connection_error" | "server_error" | "rate_limit" | "timeout" | "auth" | "model_not_found" | "context_length" | "content_policy" | "empty")[];
                                    /** @description `false` keeps a request on its first model (C-8). Default: `true`. */
                                    cross_model?: boolean;
                                    /** @description Pass over models that cannot do what is asked, instead of 400 (P-6). Default: `false`. */
                                    skip_incapable?: boolean;
                                    /** @description Longest time of one attempt until it commits (T-3). Default: `300000`. */
                                    timeout_ms?: number;
                                    /** @description Longest wait for the first content token (T-3). Default: `60000`. */
                                    first_token_timeout_ms?: number;
                                    /** @description Longest pause between bytes of a committed stream (T-3). Default: `60000`. */
                                    idle_timeout_ms?: number;
                                    /** @description Longest pause between content events of a committed stream (T-3). Default: `300000`. */
                                    stall_timeout_ms?: number;
                                    /** @description Further calls to one target after backoff (D-9). Default: 2 under `strict`; 1 under `standard` when there is a single target; else 0. */
                                    retries?: number;
                                    /** @description Most upstream calls of one request (D-4). Default: `6`. */
                                    max_attempts?: number;
                                    /** @description Longest time of a request until commit (D-4). Default: `570000`. */
                                    deadline_ms?: number;
                                    /** @description Most one request may cost, judged by the worst case of each attempt (D-4). Of several the lowest holds. */
                                    max_cost_usd?: number;
                                    /** @description Longest wait for a target to come back (D-3). Default: `5000`. */
                                    max_wait_ms?: number;
                                    /**
                                     * @description `low` never leaves its model and is shed first (C-4). Default: `normal`.
                                     * @enum {string}
                                     */
                                    priority?: "low" | "normal" | "high";
                                    /**
                                     * @description How private the request is: only channels whose `max_privacy` covers it are called (G-2). Default: `public`.
                                     * @enum {string}
                                     */
                                    privacy_level?: "public" | "internal" | "confidential" | "restricted";
                                    /**
                                     * @description When an answer starts to flow to the client (T-9). Default: `first_token`.
                                     * @enum {string}
                                     */
                                    commit?: "first_token" | "complete";
                                    /** @description Most bytes held under `commit: complete` (T-9). Default: `8388608`. */
                                    max_held_bytes?: number | string;
                                    /** @description Start the next target in parallel after this long without a token; the first to answer is served (D-8). Default: never. */
                                    hedge_after_ms?: number;
                                    /**
                                     * @description An answer that its length cut off is asked for once more with twice the output budget; not for streams (D-5). Default: it is served as it is.
                                     * @enum {string}
                                     */
                                    on_truncated?: "extend";
                                    /**
                                     * @description What a second request under a running key gets (I-6). Not available in this version: only `join`.
                                     * @enum {string}
                                     */
                                    on_duplicate?: "join" | "reject";
                                    /** @description A call under an idempotency key runs on when its client leaves, for the next request of the key (T-6). Default `true`. */
                                    finish_on_disconnect?: boolean;
                                    /** @description What answers when everything failed (E-4), in order: `busy`, `{cache: {max_age_s: 60}}`, `{default: NAME}`. */
                                    on_exhausted?: ("busy" | {
                                        cache: {
                                            max_age_s: number;
                                        };
                                    } | {
                                        default: string;
                                    })[];
                                };
                            };
                        };
                        /** @description The models behind the built-in name `understudy/auto`, in order (C-6). None: it does not exist. */
                        auto?: string[];
                        /** @description What the workspace may not use (G-2): models and channels (`MODEL#CHANNEL`) by pattern, regions, and requests more private than `max_privacy`. Under `allow_regions` a channel without region is forbidden. */
                        guardrails?: {
                            deny_models?: string[];
                            deny_channels?: string[];
                            allow_regions?: string[];
                            deny_regions?: string[];
                            /** @enum {string} */
                            max_privacy?: "public" | "internal" | "confidential" | "restricted";
                        };
                        /** @description What a prepaid workspace is granted (G-4): once; a changed figure changes the balance by the difference. Absent: it is not prepaid. */
                        balance_usd?: number | null;
                        /** @description What may be used at most (P-4, G-11). A call that finds it used up goes elsewhere, or is refused. */
                        limits?: {
                            /** @description Requests per minute. */
                            rpm?: number;
                            /** @description Tokens per minute, input and output. */
                            tpm?: number;
                            /** @description Requests per UTC day. */
                            rpd?: number;
                            /** @description Requests at the same time. */
                            concurrent?: number;
                            /** @description Tokens per UTC day. */
                            tokens_per_day?: number;
                            /** @description Tokens per UTC month. */
                            tokens_per_month?: number;
                            /** @description Spend per UTC day. */
                            usd_per_day?: number;
                            /** @description Spend per UTC month. */
                            usd_per_month?: number;
                            /** @description Passed with an alert instead of a refusal. */
                            soft?: {
                                /** @description Tokens per UTC day. */
                                tokens_per_day?: number;
                                /** @description Tokens per UTC month. */
                                tokens_per_month?: number;
                                /** @description Spend per UTC day. */
                                usd_per_day?: number;
                                /** @description Spend per UTC month. */
                                usd_per_month?: number;
                            };
                        };
                        /** @description Whether answers are kept, to be given again by `on_exhausted: [{cache: …}]` (E-4). */
                        answers?: {
                            /** @description Keep whole answers, encrypted. Default: `false`. */
                            keep?: boolean;
                            /** @description How long; then they are deleted. Default: `24h`. */
                            max_age?: number | string;
                            /** @description Most bytes of all of them; the oldest make room. Default: `64mb`. */
                            max_bytes?: number | string;
                        };
                        /** @description Derive an idempotency key for requests that send none (I-10): equal ones within 15 minutes join, and a retry gets what its first try made. A key beats its workspace; default `false`. */
                        auto_idempotency?: boolean;
                        /**
                         * @description Who shares idempotency keys (I-1): each client key has its own, or all of a workspace have the same. A key beats its workspace; default `key`.
                         * @enum {string}
                         */
                        idempotency_scope?: "key" | "workspace";
                        name: string;
                    };
                };
            };
            responses: {
                /** @description Good. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Workspace"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/workspaces/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One workspace.
         * @description For account admins, and for a workspace admin inside its own workspace (workspaces.read).
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Workspace"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        /**
         * Replaces what a workspace is: fields that are not sent go back to their defaults.
         * @description For account admins, and for a workspace admin inside its own workspace (workspaces.change).
         */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description Models this workspace may use.
                         * @default [
                         *       "*"
                         *     ]
                         */
                        enabled_models?: string[];
                        /**
                         * @description Channels whose platform credentials it may use (P-1); its own credentials may be used at all.
                         * @default [
                         *       "*"
                         *     ]
                         */
                        enabled_channels?: string[];
                        /** @description Defaults of the workspace. */
                        redundancy?: {
                            /**
                             * @description The decision table that rules (D). Default: `standard`.
                             * @enum {string}
                             */
                            policy?: "standard" | "strict" | "permissive";
                            /** @description Which failures let a request leave its model (C-4). `[]`: none. Default: the four triggers. */
                            on?: ("connection_error" | "server_error" | "rate_limit" | "timeout" | "auth" | "model_not_found" | "context_length" | "content_policy" | "empty")[];
                            /** @description `false` keeps a request on its first model (C-8). Default: `true`. */
                            cross_model?: boolean;
                            /** @description Pass over models that cannot do what is asked, instead of 400 (P-6). Default: `false`. */
                            skip_incapable?: boolean;
                            /** @description Longest time of one attempt until it commits (T-3). Default: `300000`. */
                            timeout_ms?: number;
                            /** @description Longest wait for the first content token (T-3). Default: `60000`. */
                            first_token_timeout_ms?: number;
                            /** @description Longest pause between bytes of a committed stream (T-3). Default: `60000`. */
                            idle_timeout_ms?: number;
                            /** @description Longest pause between content events of a committed stream (T-3). Default: `300000`. */
                            stall_timeout_ms?: number;
                            /** @description Further calls to one target after backoff (D-9). Default: 2 under `strict`; 1 under `standard` when there is a single target; else 0. */
                            retries?: number;
                            /** @description Most upstream calls of one request (D-4). Default: `6`. */
                            max_attempts?: number;
                            /** @description Longest time of a request until commit (D-4). Default: `570000`. */
                            deadline_ms?: number;
                            /** @description Most one request may cost, judged by the worst case of each attempt (D-4). Of several the lowest holds. */
                            max_cost_usd?: number;
                            /** @description Longest wait for a target to come back (D-3). Default: `5000`. */
                            max_wait_ms?: number;
                            /**
                             * @description `low` never leaves its model and is shed first (C-4). Default: `normal`.
                             * @enum {string}
                             */
                            priority?: "low" | "normal" | "high";
                            /**
                             * @description How private the request is: only channels whose `max_privacy` covers it are called (G-2). Default: `public`.
                             * @enum {string}
                             */
                            privacy_level?: "public" | "internal" | "confidential" | "restricted";
                            /**
                             * @description When an answer starts to flow to the client (T-9). Default: `first_token`.
                             * @enum {string}
                             */
                            commit?: "first_token" | "complete";
                            /** @description Most bytes held under `commit: complete` (T-9). Default: `8388608`. */
                            max_held_bytes?: number | string;
                            /** @description Start the next target in parallel after this long without a token; the first to answer is served (D-8). Default: never. */
                            hedge_after_ms?: number;
                            /**
                             * @description An answer that its length cut off is asked for once more with twice the output budget; not for streams (D-5). Default: it is served as it is.
                             * @enum {string}
                             */
                            on_truncated?: "extend";
                            /**
                             * @description What a second request under a running key gets (I-6). Not available in this version: only `join`.
                             * @enum {string}
                             */
                            on_duplicate?: "join" | "reject";
                            /** @description A call under an idempotency key runs on when its client leaves, for the next request of the key (T-6). Default `true`. */
                            finish_on_disconnect?: boolean;
                            /** @description What answers when everything failed (E-4), in order: `busy`, `{cache: {max_age_s: 60}}`, `{default: NAME}`. */
                            on_exhausted?: ("busy" | {
                                cache: {
                                    max_age_s: number;
                                };
                            } | {
                                default: string;
                            })[];
                        };
                        /** @description The most a request may ask for: numbers above are clamped and shown in the record, policies refused. */
                        ceilings?: {
                            max_attempts?: number;
                            retries?: number;
                            deadline_ms?: number;
                            timeout_ms?: number;
                            max_wait_ms?: number;
                            max_cost_usd?: number;
                            max_held_bytes?: number | string;
                            /** @description Policies a request may name. */
                            policies?: ("standard" | "strict" | "permissive")[];
                        };
                        /** @description Tried last, after a plain or virtual model failed, or where the one asked for is not enabled (C-7). */
                        default_model?: string | null;
                        routing?: {
                            /**
                             * @description How the channels of a model are ordered (P-2). Default: `priority`.
                             * @enum {string}
                             */
                            strategy?: "priority" | "price" | "latency" | "throughput" | "least_busy" | "weighted" | "round_robin";
                            /**
                             * @description Keeps a caller on its first healthy channel for 10 minutes, known by this field of its requests. Default: `none`.
                             * @enum {string}
                             */
                            affinity?: "none" | "prompt_cache_key" | "user";
                            /** @description `prefer` moves a channel to the front; `byok_only` lets nothing be called but the own credentials of such channels (P-3). */
                            channels?: {
                                [key: string]: {
                                    [key: string]: {
                                        prefer?: boolean;
                                        byok_only?: boolean;
                                    };
                                };
                            };
                        };
                        /** @description Own names for lists of models (C-6). A request names one alone, as its `model`. */
                        virtual_models?: {
                            [key: string]: {
                                /** @description Up to 10, in the order to try. What a key may not call it is never given (G-3). */
                                models: string[];
                                routing?: {
                                    /**
                                     * @description How the channels of a model are ordered (P-2). Default: `priority`.
                                     * @enum {string}
                                     */
                                    strategy?: "priority" | "price" | "latency" | "throughput" | "least_busy" | "weighted" | "round_robin";
                                    /**
                                     * @description Keeps a caller on its first healthy channel for 10 minutes, known by this field of its requests. Default: `none`.
                                     * @enum {string}
                                     */
                                    affinity?: "none" | "prompt_cache_key" | "user";
                                    /** @description `prefer` moves a channel to the front; `byok_only` lets nothing be called but the own credentials of such channels (P-3). */
                                    channels?: {
                                        [key: string]: {
                                            [key: string]: {
                                                prefer?: boolean;
                                                byok_only?: boolean;
                                            };
                                        };
                                    };
                                };
                                redundancy?: {
                                    /**
                                     * @description The decision table that rules (D). Default: `standard`.
                                     * @enum {string}
                                     */
                                    policy?: "standard" | "strict" | "permissive";
                                    /** @description Which failures let a request leave its model (C-4). `[]`: none. Default: the four triggers. */
                                    on?: ("connection_error" | "server_error" | "rate_limit" | "timeout" | "auth" | "model_not_found" | "context_length" | "content_policy" | "empty")[];
                                    /** @description `false` keeps a request on its first model (C-8). Default: `true`. */
                                    cross_model?: boolean;
                                    /** @description Pass over models that cannot do what is asked, instead of 400 (P-6). Default: `false`. */
                                    skip_incapable?: boolean;
                                    /** @description Longest time of one attempt until it commits (T-3). Default: `300000`. */
                                    timeout_ms?: number;
                                    /** @description Longest wait for the first content token (T-3). Default: `60000`. */
                                    first_token_timeout_ms?: number;
                                    /** @description Longest pause between bytes of a committed stream (T-3). Default: `60000`. */
                                    idle_timeout_ms?: number;
                                    /** @description Longest pause between content events of a committed stream (T-3). Default: `300000`. */
                                    stall_timeout_ms?: number;
                                    /** @description Further calls to one target after backoff (D-9). Default: 2 under `strict`; 1 under `standard` when there is a single target; else 0. */
                                    retries?: number;
                                    /** @description Most upstream calls of one request (D-4). Default: `6`. */
                                    max_attempts?: number;
                                    /** @description Longest time of a request until commit (D-4). Default: `570000`. */
                                    deadline_ms?: number;
                                    /** @description Most one request may cost, judged by the worst case of each attempt (D-4). Of several the lowest holds. */
                                    max_cost_usd?: number;
                                    /** @description Longest wait for a target to come back (D-3). Default: `5000`. */
                                    max_wait_ms?: number;
                                    /**
                                     * @description `low` never leaves its model and is shed first (C-4). Default: `normal`.
                                     * @enum {string}
                                     */
                                    priority?: "low" | "normal" | "high";
                                    /**
                                     * @description How private the request is: only channels whose `max_privacy` covers it are called (G-2). Default: `public`.
                                     * @enum {string}
                                     */
                                    privacy_level?: "public" | "internal" | "confidential" | "restricted";
                                    /**
                                     * @description When an answer starts to flow to the client (T-9). Default: `first_token`.
                                     * @enum {string}
                                     */
                                    commit?: "first_token" | "complete";
                                    /** @description Most bytes held under `commit: complete` (T-9). Default: `8388608`. */
                                    max_held_bytes?: number | string;
                                    /** @description Start the next target in parallel after this long without a token; the first to answer is served (D-8). Default: never. */
                                    hedge_after_ms?: number;
                                    /**
                                     * @description An answer that its length cut off is asked for once more with twice the output budget; not for streams (D-5). Default: it is served as it is.
                                     * @enum {string}
                                     */
                                    on_truncated?: "extend";
                                    /**
                                     * @description What a second request under a running key gets (I-6). Not available in this version: only `join`.
                                     * @enum {string}
                                     */
                                    on_duplicate?: "join" | "reject";
                                    /** @description A call under an idempotency key runs on when its client leaves, for the next request of the key (T-6). Default `true`. */
                                    finish_on_disconnect?: boolean;
                                    /** @description What answers when everything failed (E-4), in order: `busy`, `{cache: {max_age_s: 60}}`, `{default: NAME}`. */
                                    on_exhausted?: ("busy" | {
                                        cache: {
                                            max_age_s: number;
                                        };
                                    } | {
                                        default: string;
                                    })[];
                                };
                            };
                        };
                        /** @description The models behind the built-in name `understudy/auto`, in order (C-6). None: it does not exist. */
                        auto?: string[];
                        /** @description What the workspace may not use (G-2): models and channels (`MODEL#CHANNEL`) by pattern, regions, and requests more private than `max_privacy`. Under `allow_regions` a channel without region is forbidden. */
                        guardrails?: {
                            deny_models?: string[];
                            deny_channels?: string[];
                            allow_regions?: string[];
                            deny_regions?: string[];
                            /** @enum {string} */
                            max_privacy?: "public" | "internal" | "confidential" | "restricted";
                        };
                        /** @description What a prepaid workspace is granted (G-4): once; a changed figure changes the balance by the difference. Absent: it is not prepaid. */
                        balance_usd?: number | null;
                        /** @description What may be used at most (P-4, G-11). A call that finds it used up goes elsewhere, or is refused. */
                        limits?: {
                            /** @description Requests per minute. */
                            rpm?: number;
                            /** @description Tokens per minute, input and output. */
                            tpm?: number;
                            /** @description Requests per UTC day. */
                            rpd?: number;
                            /** @description Requests at the same time. */
                            concurrent?: number;
                            /** @description Tokens per UTC day. */
                            tokens_per_day?: number;
                            /** @description Tokens per UTC month. */
                            tokens_per_month?: number;
                            /** @description Spend per UTC day. */
                            usd_per_day?: number;
                            /** @description Spend per UTC month. */
                            usd_per_month?: number;
                            /** @description Passed with an alert instead of a refusal. */
                            soft?: {
                                /** @description Tokens per UTC day. */
                                tokens_per_day?: number;
                                /** @description Tokens per UTC month. */
                                tokens_per_month?: number;
                                /** @description Spend per UTC day. */
                                usd_per_day?: number;
                                /** @description Spend per UTC month. */
                                usd_per_month?: number;
                            };
                        };
                        /** @description Whether answers are kept, to be given again by `on_exhausted: [{cache: …}]` (E-4). */
                        answers?: {
                            /** @description Keep whole answers, encrypted. Default: `false`. */
                            keep?: boolean;
                            /** @description How long; then they are deleted. Default: `24h`. */
                            max_age?: number | string;
                            /** @description Most bytes of all of them; the oldest make room. Default: `64mb`. */
                            max_bytes?: number | string;
                        };
                        /** @description Derive an idempotency key for requests that send none (I-10): equal ones within 15 minutes join, and a retry gets what its first try made. A key beats its workspace; default `false`. */
                        auto_idempotency?: boolean;
                        /**
                         * @description Who shares idempotency keys (I-1): each client key has its own, or all of a workspace have the same. A key beats its workspace; default `key`.
                         * @enum {string}
                         */
                        idempotency_scope?: "key" | "workspace";
                    };
                };
            };
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Workspace"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        post?: never;
        /**
         * Removes a workspace that no key, credential or member belongs to.
         * @description For account admins (workspaces.make).
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            name: string;
                            /** @constant */
                            removed: true;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Changes single fields of a workspace; null takes one away.
         * @description For account admins, and for a workspace admin inside its own workspace (workspaces.change).
         */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        enabled_models?: string[] | null;
                        enabled_channels?: string[] | null;
                        redundancy?: {
                            /**
                             * @description The decision table that rules (D). Default: `standard`.
                             * @enum {string}
                             */
                            policy?: "standard" | "strict" | "permissive";
                            /** @description Which failures let a request leave its model (C-4). `[]`: none. Default: the four triggers. */
                            on?: ("connection_error" | "server_error" | "rate_limit" | "timeout" | "auth" | "model_not_found" | "context_length" | "content_policy" | "empty")[];
                            /** @description `false` keeps a request on its first model (C-8). Default: `true`. */
                            cross_model?: boolean;
                            /** @description Pass over models that cannot do what is asked, instead of 400 (P-6). Default: `false`. */
                            skip_incapable?: boolean;
                            /** @description Longest time of one attempt until it commits (T-3). Default: `300000`. */
                            timeout_ms?: number;
                            /** @description Longest wait for the first content token (T-3). Default: `60000`. */
                            first_token_timeout_ms?: number;
                            /** @description Longest pause between bytes of a committed stream (T-3). Default: `60000`. */
                            idle_timeout_ms?: number;
                            /** @description Longest pause between content events of a committed stream (T-3). Default: `300000`. */
                            stall_timeout_ms?: number;
                            /** @description Further calls to one target after backoff (D-9). Default: 2 under `strict`; 1 under `standard` when there is a single target; else 0. */
                            retries?: number;
                            /** @description Most upstream calls of one request (D-4). Default: `6`. */
                            max_attempts?: number;
                            /** @description Longest time of a request until commit (D-4). Default: `570000`. */
                            deadline_ms?: number;
                            /** @description Most one request may cost, judged by the worst case of each attempt (D-4). Of several the lowest holds. */
                            max_cost_usd?: number;
                            /** @description Longest wait for a target to come back (D-3). Default: `5000`. */
                            max_wait_ms?: number;
                            /**
                             * @description `low` never leaves its model and is shed first (C-4). Default: `normal`.
                             * @enum {string}
                             */
                            priority?: "low" | "normal" | "high";
                            /**
                             * @description How private the request is: only channels whose `max_privacy` covers it are called (G-2). Default: `public`.
                             * @enum {string}
                             */
                            privacy_level?: "public" | "internal" | "confidential" | "restricted";
                            /**
                             * @description When an answer starts to flow to the client (T-9). Default: `first_token`.
                             * @enum {string}
                             */
                            commit?: "first_token" | "complete";
                            /** @description Most bytes held under `commit: complete` (T-9). Default: `8388608`. */
                            max_held_bytes?: number | string;
                            /** @description Start the next target in parallel after this long without a token; the first to answer is served (D-8). Default: never. */
                            hedge_after_ms?: number;
                            /**
                             * @description An answer that its length cut off is asked for once more with twice the output budget; not for streams (D-5). Default: it is served as it is.
                             * @enum {string}
                             */
                            on_truncated?: "extend";
                            /**
                             * @description What a second request under a running key gets (I-6). Not available in this version: only `join`.
                             * @enum {string}
                             */
                            on_duplicate?: "join" | "reject";
                            /** @description A call under an idempotency key runs on when its client leaves, for the next request of the key (T-6). Default `true`. */
                            finish_on_disconnect?: boolean;
                            /** @description What answers when everything failed (E-4), in order: `busy`, `{cache: {max_age_s: 60}}`, `{default: NAME}`. */
                            on_exhausted?: ("busy" | {
                                cache: {
                                    max_age_s: number;
                                };
                            } | {
                                default: string;
                            })[];
                        } | null;
                        ceilings?: {
                            max_attempts?: number;
                            retries?: number;
                            deadline_ms?: number;
                            timeout_ms?: number;
                            max_wait_ms?: number;
                            max_cost_usd?: number;
                            max_held_bytes?: number | string;
                            /** @description Policies a request may name. */
                            policies?: ("standard" | "strict" | "permissive")[];
                        } | null;
                        default_model?: (string | null) | null;
                        routing?: {
                            /**
                             * @description How the channels of a model are ordered (P-2). Default: `priority`.
                             * @enum {string}
                             */
                            strategy?: "priority" | "price" | "latency" | "throughput" | "least_busy" | "weighted" | "round_robin";
                            /**
                             * @description Keeps a caller on its first healthy channel for 10 minutes, known by this field of its requests. Default: `none`.
                             * @enum {string}
                             */
                            affinity?: "none" | "prompt_cache_key" | "user";
                            /** @description `prefer` moves a channel to the front; `byok_only` lets nothing be called but the own credentials of such channels (P-3). */
                            channels?: {
                                [key: string]: {
                                    [key: string]: {
                                        prefer?: boolean;
                                        byok_only?: boolean;
                                    };
                                };
                            };
                        } | null;
                        virtual_models?: {
                            [key: string]: {
                                /** @description Up to 10, in the order to try. What a key may not call it is never given (G-3). */
                                models: string[];
                                routing?: {
                                    /**
                                     * @description How the channels of a model are ordered (P-2). Default: `priority`.
                                     * @enum {string}
                                     */
                                    strategy?: "priority" | "price" | "latency" | "throughput" | "least_busy" | "weighted" | "round_robin";
                                    /**
                                     * @description Keeps a caller on its first healthy channel for 10 minutes, known by this field of its requests. Default: `none`.
                                     * @enum {string}
                                     */
                                    affinity?: "none" | "prompt_cache_key" | "user";
                                    /** @description `prefer` moves a channel to the front; `byok_only` lets nothing be called but the own credentials of such channels (P-3). */
                                    channels?: {
                                        [key: string]: {
                                            [key: string]: {
                                                prefer?: boolean;
                                                byok_only?: boolean;
                                            };
                                        };
                                    };
                                };
                                redundancy?: {
                                    /**
                                     * @description The decision table that rules (D). Default: `standard`.
                                     * @enum {string}
                                     */
                                    policy?: "standard" | "strict" | "permissive";
                                    /** @description Which failures let a request leave its model (C-4). `[]`: none. Default: the four triggers. */
                                    on?: ("connection_error" | "server_error" | "rate_limit" | "timeout" | "auth" | "model_not_found" | "context_length" | "content_policy" | "empty")[];
                                    /** @description `false` keeps a request on its first model (C-8). Default: `true`. */
                                    cross_model?: boolean;
                                    /** @description Pass over models that cannot do what is asked, instead of 400 (P-6). Default: `false`. */
                                    skip_incapable?: boolean;
                                    /** @description Longest time of one attempt until it commits (T-3). Default: `300000`. */
                                    timeout_ms?: number;
                                    /** @description Longest wait for the first content token (T-3). Default: `60000`. */
                                    first_token_timeout_ms?: number;
                                    /** @description Longest pause between bytes of a committed stream (T-3). Default: `60000`. */
                                    idle_timeout_ms?: number;
                                    /** @description Longest pause between content events of a committed stream (T-3). Default: `300000`. */
                                    stall_timeout_ms?: number;
                                    /** @description Further calls to one target after backoff (D-9). Default: 2 under `strict`; 1 under `standard` when there is a single target; else 0. */
                                    retries?: number;
                                    /** @description Most upstream calls of one request (D-4). Default: `6`. */
                                    max_attempts?: number;
                                    /** @description Longest time of a request until commit (D-4). Default: `570000`. */
                                    deadline_ms?: number;
                                    /** @description Most one request may cost, judged by the worst case of each attempt (D-4). Of several the lowest holds. */
                                    max_cost_usd?: number;
                                    /** @description Longest wait for a target to come back (D-3). Default: `5000`. */
                                    max_wait_ms?: number;
                                    /**
                                     * @description `low` never leaves its model and is shed first (C-4). Default: `normal`.
                                     * @enum {string}
                                     */
                                    priority?: "low" | "normal" | "high";
                                    /**
                                     * @description How private the request is: only channels whose `max_privacy` covers it are called (G-2). Default: `public`.
                                     * @enum {string}
                                     */
                                    privacy_level?: "public" | "internal" | "confidential" | "restricted";
                                    /**
                                     * @description When an answer starts to flow to the client (T-9). Default: `first_token`.
                                     * @enum {string}
                                     */
                                    commit?: "first_token" | "complete";
                                    /** @description Most bytes held under `commit: complete` (T-9). Default: `8388608`. */
                                    max_held_bytes?: number | string;
                                    /** @description Start the next target in parallel after this long without a token; the first to answer is served (D-8). Default: never. */
                                    hedge_after_ms?: number;
                                    /**
                                     * @description An answer that its length cut off is asked for once more with twice the output budget; not for streams (D-5). Default: it is served as it is.
                                     * @enum {string}
                                     */
                                    on_truncated?: "extend";
                                    /**
                                     * @description What a second request under a running key gets (I-6). Not available in this version: only `join`.
                                     * @enum {string}
                                     */
                                    on_duplicate?: "join" | "reject";
                                    /** @description A call under an idempotency key runs on when its client leaves, for the next request of the key (T-6). Default `true`. */
                                    finish_on_disconnect?: boolean;
                                    /** @description What answers when everything failed (E-4), in order: `busy`, `{cache: {max_age_s: 60}}`, `{default: NAME}`. */
                                    on_exhausted?: ("busy" | {
                                        cache: {
                                            max_age_s: number;
                                        };
                                    } | {
                                        default: string;
                                    })[];
                                };
                            };
                        } | null;
                        auto?: string[] | null;
                        guardrails?: {
                            deny_models?: string[];
                            deny_channels?: string[];
                            allow_regions?: string[];
                            deny_regions?: string[];
                            /** @enum {string} */
                            max_privacy?: "public" | "internal" | "confidential" | "restricted";
                        } | null;
                        balance_usd?: (number | null) | null;
                        limits?: {
                            /** @description Requests per minute. */
                            rpm?: number;
                            /** @description Tokens per minute, input and output. */
                            tpm?: number;
                            /** @description Requests per UTC day. */
                            rpd?: number;
                            /** @description Requests at the same time. */
                            concurrent?: number;
                            /** @description Tokens per UTC day. */
                            tokens_per_day?: number;
                            /** @description Tokens per UTC month. */
                            tokens_per_month?: number;
                            /** @description Spend per UTC day. */
                            usd_per_day?: number;
                            /** @description Spend per UTC month. */
                            usd_per_month?: number;
                            /** @description Passed with an alert instead of a refusal. */
                            soft?: {
                                /** @description Tokens per UTC day. */
                                tokens_per_day?: number;
                                /** @description Tokens per UTC month. */
                                tokens_per_month?: number;
                                /** @description Spend per UTC day. */
                                usd_per_day?: number;
                                /** @description Spend per UTC month. */
                                usd_per_month?: number;
                            };
                        } | null;
                        answers?: {
                            /** @description Keep whole answers, encrypted. Default: `false`. */
                            keep?: boolean;
                            /** @description How long; then they are deleted. Default: `24h`. */
                            max_age?: number | string;
                            /** @description Most bytes of all of them; the oldest make room. Default: `64mb`. */
                            max_bytes?: number | string;
                        } | null;
                        auto_idempotency?: boolean | null;
                        idempotency_scope?: ("key" | "workspace") | null;
                    };
                };
            };
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Workspace"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/admin/v1/workspaces/{id}/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The prepaid balance of a workspace.
         * @description For account admins, and for a workspace admin inside its own workspace (balance.read).
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Balance"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Tops up or adjusts a prepaid balance. Each call is one more entry: look before you send it again.
         * @description For account admins (balance.change).
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Money paid in. */
                        topup_usd?: number;
                        /** @description A correction; negative takes money away. */
                        adjust_usd?: number;
                        /** @description Why; kept with the entry. */
                        note?: string;
                    };
                };
            };
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Balance"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/workspaces/{id}/balance/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What made the balance: grants, top-ups, adjustments and charges, newest first.
         * @description For account admins, and for a workspace admin inside its own workspace (balance.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description Page size. */
                    limit?: number;
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["LedgerEntry"][];
                            next_cursor: string | null;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Client keys by name, with what they used and whether they are suspended.
         * @description For account admins, and for a workspace admin inside its own workspace (keys.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description Only those of this workspace. */
                    workspace?: string;
                    /** @description Page size. */
                    limit?: number;
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Key"][];
                            next_cursor: string | null;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Makes a client key. Its secret is in this answer and nowhere else.
         * @description For account admins, and for a workspace admin inside its own workspace (keys.change).
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Unique; shown in logs. */
                        name: string;
                        /**
                         * @description Name of an entry under `workspaces`.
                         * @default default
                         */
                        workspace?: string;
                        /**
                         * @description Models this key may call.
                         * @default [
                         *       "*"
                         *     ]
                         */
                        models?: string[];
                        /** @description What may be used at most (P-4, G-11). A call that finds it used up goes elsewhere, or is refused. */
                        limits?: {
                            /** @description Requests per minute. */
                            rpm?: number;
                            /** @description Tokens per minute, input and output. */
                            tpm?: number;
                            /** @description Requests per UTC day. */
                            rpd?: number;
                            /** @description Requests at the same time. */
                            concurrent?: number;
                            /** @description Tokens per UTC day. */
                            tokens_per_day?: number;
                            /** @description Tokens per UTC month. */
                            tokens_per_month?: number;
                            /** @description Spend per UTC day. */
                            usd_per_day?: number;
                            /** @description Spend per UTC month. */
                            usd_per_month?: number;
                            /** @description Passed with an alert instead of a refusal. */
                            soft?: {
                                /** @description Tokens per UTC day. */
                                tokens_per_day?: number;
                                /** @description Tokens per UTC month. */
                                tokens_per_month?: number;
                                /** @description Spend per UTC day. */
                                usd_per_day?: number;
                                /** @description Spend per UTC month. */
                                usd_per_month?: number;
                            };
                        };
                        /** @description The first moment it no longer works, e.g. 2027-12-31 (UTC). */
                        expires_at?: string;
                        /** @description The chain a plain request for one of these models gets, and its options (C-5). */
                        failover_defaults?: {
                            /** @description Up to 3 distinct models, in order (C-5). */
                            models?: string[];
                            timeout_ms?: number;
                            first_token_timeout_ms?: number;
                            /** @description Which failures let a request leave its model (C-4). `[]`: none. Default: the four triggers. */
                            on?: ("connection_error" | "server_error" | "rate_limit" | "timeout" | "auth" | "model_not_found" | "context_length" | "content_policy" | "empty")[];
                        };
                        /** @description Defaults of the key. */
                        redundancy?: {
                            /**
                             * @description The decision table that rules (D). Default: `standard`.
                             * @enum {string}
                             */
                            policy?: "standard" | "strict" | "permissive";
                            /** @description Which failures let a request leave its model (C-4). `[]`: none. Default: the four triggers. */
                            on?: ("connection_error" | "server_error" | "rate_limit" | "timeout" | "auth" | "model_not_found" | "context_length" | "content_policy" | "empty")[];
                            /** @description `false` keeps a request on its first model (C-8). Default: `true`. */
                            cross_model?: boolean;
                            /** @description Pass over models that cannot do what is asked, instead of 400 (P-6). Default: `false`. */
                            skip_incapable?: boolean;
                            /** @description Longest time of one attempt until it commits (T-3). Default: `300000`. */
                            timeout_ms?: number;
                            /** @description Longest wait for the first content token (T-3). Default: `60000`. */
                            first_token_timeout_ms?: number;
                            /** @description Longest pause between bytes of a committed stream (T-3). Default: `60000`. */
                            idle_timeout_ms?: number;
                            /** @description Longest pause between content events of a committed stream (T-3). Default: `300000`. */
                            stall_timeout_ms?: number;
                            /** @description Further calls to one target after backoff (D-9). Default: 2 under `strict`; 1 under `standard` when there is a single target; else 0. */
                            retries?: number;
                            /** @description Most upstream calls of one request (D-4). Default: `6`. */
                            max_attempts?: number;
                            /** @description Longest time of a request until commit (D-4). Default: `570000`. */
                            deadline_ms?: number;
                            /** @description Most one request may cost, judged by the worst case of each attempt (D-4). Of several the lowest holds. */
                            max_cost_usd?: number;
                            /** @description Longest wait for a target to come back (D-3). Default: `5000`. */
                            max_wait_ms?: number;
                            /**
                             * @description `low` never leaves its model and is shed first (C-4). Default: `normal`.
                             * @enum {string}
                             */
                            priority?: "low" | "normal" | "high";
                            /**
                             * @description How private the request is: only channels whose `max_privacy` covers it are called (G-2). Default: `public`.
                             * @enum {string}
                             */
                            privacy_level?: "public" | "internal" | "confidential" | "restricted";
                            /**
                             * @description When an answer starts to flow to the client (T-9). Default: `first_token`.
                             * @enum {string}
                             */
                            commit?: "first_token" | "complete";
                            /** @description Most bytes held under `commit: complete` (T-9). Default: `8388608`. */
                            max_held_bytes?: number | string;
                            /** @description Start the next target in parallel after this long without a token; the first to answer is served (D-8). Default: never. */
                            hedge_after_ms?: number;
                            /**
                             * @description An answer that its length cut off is asked for once more with twice the output budget; not for streams (D-5). Default: it is served as it is.
                             * @enum {string}
                             */
                            on_truncated?: "extend";
                            /**
                             * @description What a second request under a running key gets (I-6). Not available in this version: only `join`.
                             * @enum {string}
                             */
                            on_duplicate?: "join" | "reject";
                            /** @description A call under an idempotency key runs on when its client leaves, for the next request of the key (T-6). Default `true`. */
                            finish_on_disconnect?: boolean;
                            /** @description What answers when everything failed (E-4), in order: `busy`, `{cache: {max_age_s: 60}}`, `{default: NAME}`. */
                            on_exhausted?: ("busy" | {
                                cache: {
                                    max_age_s: number;
                                };
                            } | {
                                default: string;
                            })[];
                        };
                        /** @description The most a request may ask for: numbers above are clamped and shown in the record, policies refused. */
                        ceilings?: {
                            max_attempts?: number;
                            retries?: number;
                            deadline_ms?: number;
                            timeout_ms?: number;
                            max_wait_ms?: number;
                            max_cost_usd?: number;
                            max_held_bytes?: number | string;
                            /** @description Policies a request may name. */
                            policies?: ("standard" | "strict" | "permissive")[];
                        };
                        /** @description It may fail its own requests on purpose, with the header `X-Understudy-Rehearse` (X-4). Default `false`. */
                        allow_rehearse?: boolean;
                        /** @description Derive an idempotency key for requests that send none (I-10): equal ones within 15 minutes join, and a retry gets what its first try made. A key beats its workspace; default `false`. */
                        auto_idempotency?: boolean;
                        /**
                         * @description Who shares idempotency keys (I-1): each client key has its own, or all of a workspace have the same. A key beats its workspace; default `key`.
                         * @enum {string}
                         */
                        idempotency_scope?: "key" | "workspace";
                    };
                };
            };
            responses: {
                /** @description Good. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NewKey"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One client key, without its secret.
         * @description For account admins, and for a workspace admin inside its own workspace (keys.read).
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Key"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Revokes a client key, at once and for good.
         * @description For account admins, and for a workspace admin inside its own workspace (keys.change).
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            name: string;
                            /** @constant */
                            removed: true;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Changes fields of a client key; null takes one away. Its secret stays.
         * @description For account admins, and for a workspace admin inside its own workspace (keys.change).
         */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        workspace?: string | null;
                        models?: string[] | null;
                        limits?: {
                            /** @description Requests per minute. */
                            rpm?: number;
                            /** @description Tokens per minute, input and output. */
                            tpm?: number;
                            /** @description Requests per UTC day. */
                            rpd?: number;
                            /** @description Requests at the same time. */
                            concurrent?: number;
                            /** @description Tokens per UTC day. */
                            tokens_per_day?: number;
                            /** @description Tokens per UTC month. */
                            tokens_per_month?: number;
                            /** @description Spend per UTC day. */
                            usd_per_day?: number;
                            /** @description Spend per UTC month. */
                            usd_per_month?: number;
                            /** @description Passed with an alert instead of a refusal. */
                            soft?: {
                                /** @description Tokens per UTC day. */
                                tokens_per_day?: number;
                                /** @description Tokens per UTC month. */
                                tokens_per_month?: number;
                                /** @description Spend per UTC day. */
                                usd_per_day?: number;
                                /** @description Spend per UTC month. */
                                usd_per_month?: number;
                            };
                        } | null;
                        expires_at?: string | null;
                        failover_defaults?: {
                            /** @description Up to 3 distinct models, in order (C-5). */
                            models?: string[];
                            timeout_ms?: number;
                            first_token_timeout_ms?: number;
                            /** @description Which failures let a request leave its model (C-4). `[]`: none. Default: the four triggers. */
                            on?: ("connection_error" | "server_error" | "rate_limit" | "timeout" | "auth" | "model_not_found" | "context_length" | "content_policy" | "empty")[];
                        } | null;
                        redundancy?: {
                            /**
                             * @description The decision table that rules (D). Default: `standard`.
                             * @enum {string}
                             */
                            policy?: "standard" | "strict" | "permissive";
                            /** @description Which failures let a request leave its model (C-4). `[]`: none. Default: the four triggers. */
                            on?: ("connection_error" | "server_error" | "rate_limit" | "timeout" | "auth" | "model_not_found" | "context_length" | "content_policy" | "empty")[];
                            /** @description `false` keeps a request on its first model (C-8). Default: `true`. */
                            cross_model?: boolean;
                            /** @description Pass over models that cannot do what is asked, instead of 400 (P-6). Default: `false`. */
                            skip_incapable?: boolean;
                            /** @description Longest time of one attempt until it commits (T-3). Default: `300000`. */
                            timeout_ms?: number;
                            /** @description Longest wait for the first content token (T-3). Default: `60000`. */
                            first_token_timeout_ms?: number;
                            /** @description Longest pause between bytes of a committed stream (T-3). Default: `60000`. */
                            idle_timeout_ms?: number;
                            /** @description Longest pause between content events of a committed stream (T-3). Default: `300000`. */
                            stall_timeout_ms?: number;
                            /** @description Further calls to one target after backoff (D-9). Default: 2 under `strict`; 1 under `standard` when there is a single target; else 0. */
                            retries?: number;
                            /** @description Most upstream calls of one request (D-4). Default: `6`. */
                            max_attempts?: number;
                            /** @description Longest time of a request until commit (D-4). Default: `570000`. */
                            deadline_ms?: number;
                            /** @description Most one request may cost, judged by the worst case of each attempt (D-4). Of several the lowest holds. */
                            max_cost_usd?: number;
                            /** @description Longest wait for a target to come back (D-3). Default: `5000`. */
                            max_wait_ms?: number;
                            /**
                             * @description `low` never leaves its model and is shed first (C-4). Default: `normal`.
                             * @enum {string}
                             */
                            priority?: "low" | "normal" | "high";
                            /**
                             * @description How private the request is: only channels whose `max_privacy` covers it are called (G-2). Default: `public`.
                             * @enum {string}
                             */
                            privacy_level?: "public" | "internal" | "confidential" | "restricted";
                            /**
                             * @description When an answer starts to flow to the client (T-9). Default: `first_token`.
                             * @enum {string}
                             */
                            commit?: "first_token" | "complete";
                            /** @description Most bytes held under `commit: complete` (T-9). Default: `8388608`. */
                            max_held_bytes?: number | string;
                            /** @description Start the next target in parallel after this long without a token; the first to answer is served (D-8). Default: never. */
                            hedge_after_ms?: number;
                            /**
                             * @description An answer that its length cut off is asked for once more with twice the output budget; not for streams (D-5). Default: it is served as it is.
                             * @enum {string}
                             */
                            on_truncated?: "extend";
                            /**
                             * @description What a second request under a running key gets (I-6). Not available in this version: only `join`.
                             * @enum {string}
                             */
                            on_duplicate?: "join" | "reject";
                            /** @description A call under an idempotency key runs on when its client leaves, for the next request of the key (T-6). Default `true`. */
                            finish_on_disconnect?: boolean;
                            /** @description What answers when everything failed (E-4), in order: `busy`, `{cache: {max_age_s: 60}}`, `{default: NAME}`. */
                            on_exhausted?: ("busy" | {
                                cache: {
                                    max_age_s: number;
                                };
                            } | {
                                default: string;
                            })[];
                        } | null;
                        ceilings?: {
                            max_attempts?: number;
                            retries?: number;
                            deadline_ms?: number;
                            timeout_ms?: number;
                            max_wait_ms?: number;
                            max_cost_usd?: number;
                            max_held_bytes?: number | string;
                            /** @description Policies a request may name. */
                            policies?: ("standard" | "strict" | "permissive")[];
                        } | null;
                        allow_rehearse?: boolean | null;
                        auto_idempotency?: boolean | null;
                        idempotency_scope?: ("key" | "workspace") | null;
                    };
                };
            };
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Key"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/admin/v1/keys/{id}/lift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends the suspension or the ban of a client key, and forgets what led to it.
         * @description For account admins (keys.lift).
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            name: string;
                            /** @description False: there was nothing to lift. */
                            lifted: boolean;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Credentials by name, without their secrets.
         * @description For account admins, and for a workspace admin inside its own workspace (credentials.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description Only those of this workspace. */
                    workspace?: string;
                    /** @description Page size. */
                    limit?: number;
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Credential"][];
                            next_cursor: string | null;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Adds a credential. Its secret is sealed and never shown again.
         * @description For account admins, and for a workspace admin inside its own workspace (credentials.change).
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Name of an entry under `providers`. */
                        provider: string;
                        /** @description The API key; best taken from the environment. Where calls are signed: `KEY:SECRET` or `KEY:SECRET:TOKEN`. Where accounts have key files: the whole JSON file. */
                        secret: string;
                        /**
                         * @description `platform`: the operator's; `byok`: a workspace's own.
                         * @default platform
                         * @enum {string}
                         */
                        kind?: "platform" | "byok";
                        /** @description The owner of a `byok` credential. */
                        workspace?: string;
                        /**
                         * @description Lower is tried first; equals in turn (P-1).
                         * @default 0
                         */
                        order?: number;
                        /** @description The workspace's own address for the provider, of a `byok` credential. Default: the provider's. The provider's `headers` are not sent there. */
                        base_url?: string;
                        /** @description What may be used at most (P-4, G-11). A call that finds it used up goes elsewhere, or is refused. */
                        limits?: {
                            /** @description Requests per minute. */
                            rpm?: number;
                            /** @description Tokens per minute, input and output. */
                            tpm?: number;
                            /** @description Requests per UTC day. */
                            rpd?: number;
                            /** @description Requests at the same time. */
                            concurrent?: number;
                            /** @description Tokens per UTC day. */
                            tokens_per_day?: number;
                            /** @description Tokens per UTC month. */
                            tokens_per_month?: number;
                            /** @description Spend per UTC day. */
                            usd_per_day?: number;
                            /** @description Spend per UTC month. */
                            usd_per_month?: number;
                            /** @description Passed with an alert instead of a refusal. */
                            soft?: {
                                /** @description Tokens per UTC day. */
                                tokens_per_day?: number;
                                /** @description Tokens per UTC month. */
                                tokens_per_month?: number;
                                /** @description Spend per UTC day. */
                                usd_per_day?: number;
                                /** @description Spend per UTC month. */
                                usd_per_month?: number;
                            };
                        };
                        name: string;
                    };
                };
            };
            responses: {
                /** @description Good. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Credential"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/credentials/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One credential, without its secret.
         * @description For account admins, and for a workspace admin inside its own workspace (credentials.read).
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Credential"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Removes a credential; calls under way with it finish.
         * @description For account admins, and for a workspace admin inside its own workspace (credentials.change).
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            name: string;
                            /** @constant */
                            removed: true;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Changes fields of a credential, its `secret` among them; null takes one away.
         * @description For account admins, and for a workspace admin inside its own workspace (credentials.change).
         */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Name of an entry under `providers`. */
                        provider?: string | null;
                        /** @description The API key; best taken from the environment. Where calls are signed: `KEY:SECRET` or `KEY:SECRET:TOKEN`. Where accounts have key files: the whole JSON file. */
                        secret?: string;
                        kind?: ("platform" | "byok") | null;
                        workspace?: string | null;
                        order?: number | null;
                        base_url?: string | null;
                        limits?: {
                            /** @description Requests per minute. */
                            rpm?: number;
                            /** @description Tokens per minute, input and output. */
                            tpm?: number;
                            /** @description Requests per UTC day. */
                            rpd?: number;
                            /** @description Requests at the same time. */
                            concurrent?: number;
                            /** @description Tokens per UTC day. */
                            tokens_per_day?: number;
                            /** @description Tokens per UTC month. */
                            tokens_per_month?: number;
                            /** @description Spend per UTC day. */
                            usd_per_day?: number;
                            /** @description Spend per UTC month. */
                            usd_per_month?: number;
                            /** @description Passed with an alert instead of a refusal. */
                            soft?: {
                                /** @description Tokens per UTC day. */
                                tokens_per_day?: number;
                                /** @description Tokens per UTC month. */
                                tokens_per_month?: number;
                                /** @description Spend per UTC day. */
                                usd_per_day?: number;
                                /** @description Spend per UTC month. */
                                usd_per_month?: number;
                            };
                        } | null;
                    };
                };
            };
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Credential"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/admin/v1/credentials/reorder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sets the order in which the credentials of a workspace, or of the platform, are tried.
         * @description For account admins, and for a workspace admin inside its own workspace (credentials.change).
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Whose credentials; absent = the platform’s, or of a workspace’s admin its own. */
                        workspace?: string;
                        /** @description All of them, the one to try first in front. */
                        names: string[];
                    };
                };
            };
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Credential"][];
                            next_cursor: string | null;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Members by name, with their roles.
         * @description For account admins (members.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description Only those of this workspace. */
                    workspace?: string;
                    /** @description Page size. */
                    limit?: number;
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Member"][];
                            next_cursor: string | null;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Adds a member. The token is in this answer and nowhere else.
         * @description For account admins (members.change).
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @description `account_admin`: everything; `workspace_admin`: its workspace; `member`: the requests of its workspace, without trace.
                         * @enum {string}
                         */
                        role: "account_admin" | "workspace_admin" | "member";
                        /** @description Name of an entry under `workspaces`. Every role but `account_admin` needs one. */
                        workspace?: string;
                        name: string;
                    };
                };
            };
            responses: {
                /** @description Good. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NewMember"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/members/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One member, without token.
         * @description For account admins (members.read).
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Member"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Removes a member; the token is refused from then on.
         * @description For account admins (members.change).
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            name: string;
                            /** @constant */
                            removed: true;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Changes a member’s role or workspace; null takes the workspace away. The token stays.
         * @description For account admins (members.change).
         */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description `account_admin`: everything; `workspace_admin`: its workspace; `member`: the requests of its workspace, without trace. */
                        role?: ("account_admin" | "workspace_admin" | "member") | null;
                        workspace?: string | null;
                    };
                };
            };
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Member"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/admin/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Models with their channels, prices and capabilities.
         * @description For account admins, and for a workspace admin inside its own workspace (models.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description Page size. */
                    limit?: number;
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Model"][];
                            next_cursor: string | null;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Channels of all models.
         * @description For account admins, and for a workspace admin inside its own workspace (models.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description Page size. */
                    limit?: number;
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Channel"][];
                            next_cursor: string | null;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/virtual-models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Virtual models of all workspaces, or of one.
         * @description For account admins, and for a workspace admin inside its own workspace (workspaces.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description Only those of this workspace. */
                    workspace?: string;
                    /** @description Page size. */
                    limit?: number;
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["VirtualModel"][];
                            next_cursor: string | null;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/virtual-models/{workspace}/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Makes or replaces a virtual model of a workspace.
         * @description For account admins, and for a workspace admin inside its own workspace (workspaces.change).
         */
        put: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    workspace: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Up to 10, in the order to try. What a key may not call it is never given (G-3). */
                        models: string[];
                        routing?: {
                            /**
                             * @description How the channels of a model are ordered (P-2). Default: `priority`.
                             * @enum {string}
                             */
                            strategy?: "priority" | "price" | "latency" | "throughput" | "least_busy" | "weighted" | "round_robin";
                            /**
                             * @description Keeps a caller on its first healthy channel for 10 minutes, known by this field of its requests. Default: `none`.
                             * @enum {string}
                             */
                            affinity?: "none" | "prompt_cache_key" | "user";
                            /** @description `prefer` moves a channel to the front; `byok_only` lets nothing be called but the own credentials of such channels (P-3). */
                            channels?: {
                                [key: string]: {
                                    [key: string]: {
                                        prefer?: boolean;
                                        byok_only?: boolean;
                                    };
                                };
                            };
                        };
                        redundancy?: {
                            /**
                             * @description The decision table that rules (D). Default: `standard`.
                             * @enum {string}
                             */
                            policy?: "standard" | "strict" | "permissive";
                            /** @description Which failures let a request leave its model (C-4). `[]`: none. Default: the four triggers. */
                            on?: ("connection_error" | "server_error" | "rate_limit" | "timeout" | "auth" | "model_not_found" | "context_length" | "content_policy" | "empty")[];
                            /** @description `false` keeps a request on its first model (C-8). Default: `true`. */
                            cross_model?: boolean;
                            /** @description Pass over models that cannot do what is asked, instead of 400 (P-6). Default: `false`. */
                            skip_incapable?: boolean;
                            /** @description Longest time of one attempt until it commits (T-3). Default: `300000`. */
                            timeout_ms?: number;
                            /** @description Longest wait for the first content token (T-3). Default: `60000`. */
                            first_token_timeout_ms?: number;
                            /** @description Longest pause between bytes of a committed stream (T-3). Default: `60000`. */
                            idle_timeout_ms?: number;
                            /** @description Longest pause between content events of a committed stream (T-3). Default: `300000`. */
                            stall_timeout_ms?: number;
                            /** @description Further calls to one target after backoff (D-9). Default: 2 under `strict`; 1 under `standard` when there is a single target; else 0. */
                            retries?: number;
                            /** @description Most upstream calls of one request (D-4). Default: `6`. */
                            max_attempts?: number;
                            /** @description Longest time of a request until commit (D-4). Default: `570000`. */
                            deadline_ms?: number;
                            /** @description Most one request may cost, judged by the worst case of each attempt (D-4). Of several the lowest holds. */
                            max_cost_usd?: number;
                            /** @description Longest wait for a target to come back (D-3). Default: `5000`. */
                            max_wait_ms?: number;
                            /**
                             * @description `low` never leaves its model and is shed first (C-4). Default: `normal`.
                             * @enum {string}
                             */
                            priority?: "low" | "normal" | "high";
                            /**
                             * @description How private the request is: only channels whose `max_privacy` covers it are called (G-2). Default: `public`.
                             * @enum {string}
                             */
                            privacy_level?: "public" | "internal" | "confidential" | "restricted";
                            /**
                             * @description When an answer starts to flow to the client (T-9). Default: `first_token`.
                             * @enum {string}
                             */
                            commit?: "first_token" | "complete";
                            /** @description Most bytes held under `commit: complete` (T-9). Default: `8388608`. */
                            max_held_bytes?: number | string;
                            /** @description Start the next target in parallel after this long without a token; the first to answer is served (D-8). Default: never. */
                            hedge_after_ms?: number;
                            /**
                             * @description An answer that its length cut off is asked for once more with twice the output budget; not for streams (D-5). Default: it is served as it is.
                             * @enum {string}
                             */
                            on_truncated?: "extend";
                            /**
                             * @description What a second request under a running key gets (I-6). Not available in this version: only `join`.
                             * @enum {string}
                             */
                            on_duplicate?: "join" | "reject";
                            /** @description A call under an idempotency key runs on when its client leaves, for the next request of the key (T-6). Default `true`. */
                            finish_on_disconnect?: boolean;
                            /** @description What answers when everything failed (E-4), in order: `busy`, `{cache: {max_age_s: 60}}`, `{default: NAME}`. */
                            on_exhausted?: ("busy" | {
                                cache: {
                                    max_age_s: number;
                                };
                            } | {
                                default: string;
                            })[];
                        };
                    };
                };
            };
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["VirtualModel"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        post?: never;
        /**
         * Removes a virtual model from its workspace.
         * @description For account admins, and for a workspace admin inside its own workspace (workspaces.change).
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    workspace: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            name: string;
                            /** @constant */
                            removed: true;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The decision tables of all policies.
         * @description For account admins and workspace admins (policies.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description Page size. */
                    limit?: number;
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Policy"][];
                            next_cursor: string | null;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/policies/what-if": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What recorded requests would have done under another decision table, up to the first decision that differs. Calls nobody, changes nothing.
         * @description For account admins, and for a workspace admin inside its own workspace (requests.read).
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Every request is judged as if it had asked for this policy; null: each under the policy it ran under. */
                        policy?: ("standard" | "strict" | "permissive") | null;
                        /** @description Cells laid over that policy’s table as it is in force: a list of steps, or an object as `GET /v1/policies` shows it. Rows that are not named stay. */
                        table?: {
                            maybe_executed?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            rate_limit?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            quota_exhausted?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            overloaded?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            server_error?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            malformed?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            timeout?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            connection_error?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            auth?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            permission?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            model_not_found?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            context_length?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            payload_too_large?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            content_policy?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            invalid_request?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            unsupported?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            generation_rejected?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            gateway_rejected?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            client_closed?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                            empty?: {
                                steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                                repeat_only_if_single?: boolean;
                                repeats?: number | null;
                                keyed_reads_class?: boolean;
                            } | ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
                        } | null;
                        /** @description Only requests that ran under this policy. */
                        recorded_policy?: ("standard" | "strict" | "permissive") | null;
                        /**
                         * Format: date-time
                         * @description Requests from this instant on; default 24 hours before `to`.
                         */
                        from?: string;
                        /**
                         * Format: date-time
                         * @description Requests before this instant; default now.
                         */
                        to?: string;
                        /** @description Only this workspace. */
                        workspace?: string | null;
                    };
                };
            };
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WhatIf"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Webhooks by name, without their secrets.
         * @description For account admins, and for a workspace admin inside its own workspace (webhooks.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description Only those of this workspace. */
                    workspace?: string;
                    /** @description Page size. */
                    limit?: number;
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Webhook"][];
                            next_cursor: string | null;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Makes a webhook. Its secret is in this answer and nowhere else.
         * @description For account admins, and for a workspace admin inside its own workspace (webhooks.change).
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Where events are sent, by POST. */
                        url: string;
                        /**
                         * @description Which events are sent.
                         * @default [
                         *       "*"
                         *     ]
                         */
                        events?: string[];
                        /** @description Only events of this workspace. Without it those of all workspaces and of the gateway itself. */
                        workspace?: string;
                        /**
                         * @description `false` sends nothing and keeps the entry.
                         * @default true
                         */
                        enabled?: boolean;
                        name: string;
                    };
                };
            };
            responses: {
                /** @description Good. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NewWebhook"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One webhook, without its secret.
         * @description For account admins, and for a workspace admin inside its own workspace (webhooks.read).
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Webhook"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /**
         * Removes a webhook; what waits for it is not sent any more.
         * @description For account admins, and for a workspace admin inside its own workspace (webhooks.change).
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            name: string;
                            /** @constant */
                            removed: true;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Changes fields of a webhook; null takes one away. Its secret stays.
         * @description For account admins, and for a workspace admin inside its own workspace (webhooks.change).
         */
        patch: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description Where events are sent, by POST. */
                        url?: string | null;
                        events?: string[] | null;
                        workspace?: string | null;
                        enabled?: boolean | null;
                    };
                };
            };
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Webhook"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/admin/v1/webhooks/{id}/renew-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gives a webhook a new secret, shown this once. Messages carry both signatures until the one before is removed.
         * @description For account admins, and for a workspace admin inside its own workspace (webhooks.change).
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NewWebhook"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks/{id}/previous-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Ends the renewal of a secret: messages carry the signature of the new one alone.
         * @description For account admins, and for a workspace admin inside its own workspace (webhooks.change).
         */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Webhook"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends the event `webhook.test` to a webhook, now and once, and tells what came of it.
         * @description For account admins, and for a workspace admin inside its own workspace (webhooks.change).
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WebhookTest"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Messages to a webhook and what became of them, the newest first.
         * @description For account admins, and for a workspace admin inside its own workspace (webhooks.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description Only these. */
                    state?: "waiting" | "delivered" | "given_up";
                    /** @description Page size. */
                    limit?: number;
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["Delivery"][];
                            next_cursor: string | null;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/deliveries/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a message again, at once, whatever became of it; its tries are counted anew.
         * @description For account admins, and for a workspace admin inside its own workspace (webhooks.change).
         */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The `version` the change was made from; 409 when it is another by now. */
                    "If-Match"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Delivery"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description No such object. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who did what, the newest first.
         * @description For account admins, and for a workspace admin inside its own workspace (audit.read).
         */
        get: {
            parameters: {
                query?: {
                    /** @description Not before this instant. */
                    from?: string;
                    /** @description Before this instant. */
                    to?: string;
                    /** @description Only what was done to this workspace. */
                    workspace?: string;
                    /** @description Only what this one did. */
                    actor?: string;
                    /** @description Only this action. */
                    action?: string;
                    /** @description Only what was done to this: its kind and name, as in `key dev`. */
                    object?: string;
                    /** @description Only what this request or call did. */
                    request_id?: string;
                    /** @description Page size. */
                    limit?: number;
                    /** @description `next_cursor` of the page before. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            data: components["schemas"]["AuditEntry"][];
                            next_cursor: string | null;
                        };
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/seal/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Seals everything anew with a fresh key; of a key from the environment, what older ones had sealed.
         * @description For account admins (configuration.change).
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SealRotation"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/entitlement/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Signing keys and where each stands.
         * @description For account admins and workspace admins (policies.read).
         */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SigningKeys"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/entitlement/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The next key signs from now on; what the one before has signed holds to its end.
         * @description For account admins (configuration.change).
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SigningKeys"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/entitlement/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The next key signs from now on; those before it are published no more: for a key in wrong hands.
         * @description For account admins (configuration.change).
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SigningKeys"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Brings the gateway to what a configuration says, or tells what that would change.
         * @description For account admins (configuration.change).
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @description The configuration file. References to the environment are filled in from that of the gateway. */
                        text: string;
                        /** @description Its name, for messages. */
                        name?: string;
                        /** @description Only tell the differences. Default true. */
                        dry_run?: boolean;
                        /** @description The `base` of an earlier answer: 409 when another configuration is in force by now. */
                        base?: string;
                    };
                };
            };
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Applied"];
                    };
                };
                /** @description A parameter or field cannot be used; `param` names it. */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The token is missing or wrong, or none is configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The role of the caller does not allow it. */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description It exists already, was changed meanwhile, or belongs to the file. */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the key of the call may, has used and has left. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OwnKey"];
                    };
                };
                /** @description The key is missing, unknown or expired. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/requests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How a request of the key, or for a member of its workspace, went; without its routing trace. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OwnRequest"];
                    };
                };
                /** @description The key is missing, unknown or expired. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description None of the caller’s own. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How a queued request of the key is doing, and its answer once it is there. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Good. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OwnJob"];
                    };
                };
                /** @description The key is missing, unknown or expired. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description None of the caller’s own. */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                /** @description The store cannot be used at the moment. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process lives. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It does. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether it takes requests. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description It does. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
                /** @description It does not; `reason` says why. */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Prometheus metrics. Open on loopback, else behind `server.metrics_token`. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The metrics. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/plain": unknown;
                    };
                };
                /** @description Not on loopback, and the token is missing, wrong or not configured. */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/plain": unknown;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Public keys of signed entitlements (G-5), as a JSON Web Key Set. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The keys; without any, nothing is signed. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description. */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description An OpenAPI 3.1 document. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Usage: {
            input_tokens: number | null;
            output_tokens: number | null;
            cached_tokens: number | null;
            reasoning_tokens: number | null;
            estimated?: boolean;
        };
        RequestSummary: {
            id: string;
            client_request_id: string | null;
            /** Format: date-time */
            at: string;
            workspace: string;
            key: string | null;
            endpoint: string;
            stream: boolean;
            requested_model: string | null;
            served_model: string | null;
            chain: string[];
            policy: string;
            status: number;
            /** @enum {unknown} */
            outcome: "success" | "client_error" | "upstream_rate_limited" | "upstream_unavailable" | "network_unknown" | "safety_refusal";
            /** @enum {unknown} */
            ending: "served" | "failed" | "rejected" | "interrupted" | "client_closed" | "replayed" | "joined" | "queued";
            error_code: string | null;
            degraded: boolean;
            degraded_reasons: string[];
            idempotency: {
                key_hash: string;
                state: string;
                round: number;
                role: string;
                digest: string | null;
                /** @description The request that made the answer, where it is another one. */
                original_request_id?: string | null;
            } | null;
            client_retry: {
                count: number;
                how: string | null;
                upstream_calls: number;
            };
            upstream_calls: number;
            latency_ms: number;
            ttft_ms: number | null;
            usage: components["schemas"]["Usage"] | null;
            cost_nano_usd: number | null;
            waste_nano_usd: number | null;
            virtual_model: string | null;
            /** @description The job it became (`try` 0), or was a try of (E-4). Absent = none. */
            job?: {
                id: string;
                try: number;
            };
        };
        RequestRecord: {
            id: string;
            client_request_id: string | null;
            /** Format: date-time */
            at: string;
            workspace: string;
            key: string | null;
            endpoint: string;
            stream: boolean;
            requested_model: string | null;
            served_model: string | null;
            chain: string[];
            policy: string;
            status: number;
            /** @enum {unknown} */
            outcome: "success" | "client_error" | "upstream_rate_limited" | "upstream_unavailable" | "network_unknown" | "safety_refusal";
            /** @enum {unknown} */
            ending: "served" | "failed" | "rejected" | "interrupted" | "client_closed" | "replayed" | "joined" | "queued";
            error_code: string | null;
            degraded: boolean;
            degraded_reasons: string[];
            idempotency: {
                key_hash: string;
                state: string;
                round: number;
                role: string;
                digest: string | null;
                /** @description The request that made the answer, where it is another one. */
                original_request_id?: string | null;
            } | null;
            client_retry: {
                count: number;
                how: string | null;
                upstream_calls: number;
            };
            upstream_calls: number;
            latency_ms: number;
            ttft_ms: number | null;
            usage: components["schemas"]["Usage"] | null;
            cost_nano_usd: number | null;
            waste_nano_usd: number | null;
            virtual_model: string | null;
            stages: components["schemas"]["Stage"][];
            candidates: components["schemas"]["Candidate"][];
            attempts: components["schemas"]["Attempt"][];
            /** @description The job it became (`try` 0), or was a try of (E-4). Absent = none. */
            job?: {
                id: string;
                try: number;
            };
            skipped_groups?: {
                skip_reason: string;
                count: number;
            }[];
            clamped?: {
                field: string;
                asked: number;
                given: number;
            }[];
            events?: unknown[];
            setup?: unknown;
        };
        Stage: {
            /** @enum {unknown} */
            name: "receive" | "plan" | "admit" | "upstream" | "deliver";
            ms: number;
            attempts?: number;
        };
        Candidate: {
            rank: number;
            model: string;
            channel: string;
            credential: string | null;
            tried: boolean;
            skip_reason: string | null;
            /** Format: date-time */
            available_at: string | null;
        };
        Attempt: {
            no: number;
            id: string;
            model: string;
            channel: string;
            credential: string | null;
            provider: string;
            upstream_model: string;
            /** Format: date-time */
            started_at: string;
            /** Format: date-time */
            sent_at: string | null;
            latency_ms: number;
            ttft_ms: number | null;
            status: number | null;
            /** @enum {unknown} */
            result: "served" | "failed" | "interrupted" | "cancelled" | "late_success";
            /** @enum {unknown} */
            class: "connection_error" | "timeout" | "rate_limit" | "quota_exhausted" | "overloaded" | "server_error" | "malformed" | "auth" | "permission" | "model_not_found" | "context_length" | "content_policy" | "invalid_request" | "unsupported" | "payload_too_large" | "generation_rejected" | "gateway_rejected" | "client_closed" | "empty" | null;
            trigger: string | null;
            triggers: string[];
            provider_code: string | null;
            provider_message: string | null;
            provider_request_id: string | null;
            retry_after_ms: number | null;
            retry_after_source: string | null;
            maybe_executed: boolean;
            suspicious: boolean;
            hedge: boolean;
            /** @enum {unknown} */
            decision: "serve" | "retry" | "next_credential" | "next_channel" | "next_model" | "stop";
            reason: string;
            changes: string[];
            usage: components["schemas"]["Usage"] | null;
            cost_nano_usd: number | null;
            /** @description It failed on purpose and nobody was called (X-4). Absent = no. */
            rehearsed?: boolean;
        };
        HealthTarget: {
            id: string;
            model: string;
            channel: string;
            credential: string | null;
            /** @enum {unknown} */
            state: "ok" | "cooling" | "open" | "half_open" | "drained";
            /** @enum {unknown} */
            class: "connection_error" | "timeout" | "rate_limit" | "quota_exhausted" | "overloaded" | "server_error" | "malformed" | "auth" | "permission" | "model_not_found" | "context_length" | "content_policy" | "invalid_request" | "unsupported" | "payload_too_large" | "generation_rejected" | "gateway_rejected" | "client_closed" | "empty" | null;
            /**
             * Format: date-time
             * @description When it came into this trouble; failed probes leave it as it is. Null while it is `ok`.
             */
            since: string | null;
            /** Format: date-time */
            until: string | null;
            /** Format: date-time */
            probe_at: string | null;
            level: number;
            calls: number;
            failures: number;
        };
        Error: {
            error: {
                message: string;
                type: string;
                code: string | null;
                param: string | null;
                request_id: string;
            };
        };
        Overview: {
            /**
             * Format: date-time
             * @description A whole minute; of windows longer than two hours a quarter of an hour, of those longer than two days two hours.
             */
            from: string;
            /** Format: date-time */
            to: string;
            step_ms: number;
            /**
             * Format: date-time
             * @description Requests that began before are in no figures: an older version served them. Null = all are counted.
             */
            since: string | null;
            totals: components["schemas"]["OverviewSums"];
            /** @description Of the equally long time before. */
            before: components["schemas"]["OverviewSums"];
            series: components["schemas"]["OverviewStep"][];
            covering: components["schemas"]["Covering"][];
            failing: components["schemas"]["Failing"][];
        };
        OverviewSums: {
            requests: number;
            outcomes: {
                success: number;
                client_error: number;
                upstream_rate_limited: number;
                upstream_unavailable: number;
                network_unknown: number;
                safety_refusal: number;
            };
            /** @description Requests with an attempt that repeated a failed one at its own target. */
            retried: number;
            /** @description Requests that another model answered than the one asked for. */
            fallback: number;
            degraded: number;
            interrupted: number;
            upstream_calls: number;
            primary: components["schemas"]["ServedTimes"];
            fallback_latency: components["schemas"]["ServedTimes"];
            cost_nano_usd: number;
            waste_nano_usd: number;
        };
        OverviewStep: {
            /** Format: date-time */
            at: string;
            requests: number;
            outcomes: {
                success: number;
                client_error: number;
                upstream_rate_limited: number;
                upstream_unavailable: number;
                network_unknown: number;
                safety_refusal: number;
            };
            /** @description Requests with an attempt that repeated a failed one at its own target. */
            retried: number;
            /** @description Requests that another model answered than the one asked for. */
            fallback: number;
            degraded: number;
            interrupted: number;
            upstream_calls: number;
            primary: components["schemas"]["ServedTimes"];
            fallback_latency: components["schemas"]["ServedTimes"];
            cost_nano_usd: number;
            waste_nano_usd: number;
        };
        ServedTimes: {
            served: number;
            /** @description Of whole times, off by less than a tenth. */
            p50_ms: number | null;
            p99_ms: number | null;
        };
        Covering: {
            requested_model: string;
            served_model: string;
            requests: number;
            /** Format: date-time */
            first_at: string;
            /** Format: date-time */
            last_at: string;
            last_request_id: string;
            /** @description Requests by the class that a call of theirs failed with. */
            classes: {
                [key: string]: number;
            };
            /** @description Where no call failed: requests by the reason for which targets of the requested model were left out. */
            skipped: {
                [key: string]: number;
            };
        };
        Failing: {
            model: string;
            channel: string;
            credential: string | null;
            class: string;
            attempts: number;
            /** Format: date-time */
            last_at: string;
            last_request_id: string;
            provider_message: string | null;
        };
        RunningRequest: {
            id: string;
            client_request_id: string | null;
            /**
             * @description `receiving` its body; `admitting`: it waits for its limits or its idempotency key; `joined` to another request’s run; `waiting` before it repeats a target; `answering`; `ending`: what is left when everything failed is tried, or the answer is being kept.
             * @enum {unknown}
             */
            state: "receiving" | "admitting" | "joined" | "running" | "waiting" | "answering" | "ending" | "finished";
            /** Format: date-time */
            at: string;
            elapsed_ms: number;
            /** @description Null: its key has not been looked at yet. */
            workspace: string | null;
            key: string | null;
            endpoint: string;
            stream: boolean;
            requested_model: string | null;
            virtual_model: string | null;
            chain: string[];
            policy: string | null;
            /** @description The job it is a try of (E-4). */
            job: {
                id: string;
                try: number;
            } | null;
            attempts: components["schemas"]["RunningAttempt"][];
        };
        RunningAttempt: {
            no: number;
            model: string;
            channel: string;
            credential: string | null;
            /** Format: date-time */
            started_at: string;
            /**
             * @description `waiting` for an answer; `receiving` one of which nothing can be shown yet; `ready`: held back; `streaming` to the client. The others: how it ended.
             * @enum {unknown}
             */
            state: "waiting" | "receiving" | "ready" | "streaming" | "served" | "failed" | "interrupted" | "cancelled" | "late_success";
            latency_ms: number;
            ttft_ms: number | null;
            status: number | null;
            /** @enum {unknown} */
            class: "connection_error" | "timeout" | "rate_limit" | "quota_exhausted" | "overloaded" | "server_error" | "malformed" | "auth" | "permission" | "model_not_found" | "context_length" | "content_policy" | "invalid_request" | "unsupported" | "payload_too_large" | "generation_rejected" | "gateway_rejected" | "client_closed" | "empty" | null;
            provider_message: string | null;
            hedge: boolean;
            rehearsed: boolean;
            /**
             * @description Null while it runs.
             * @enum {unknown}
             */
            decision: "serve" | "retry" | "next_credential" | "next_channel" | "next_model" | "stop" | null;
            reason: string | null;
        };
        Alert: {
            /** @description `alert.NAME` = built in (O-4). */
            kind: string;
            /**
             * @description `active` and `over`: a built-in alert that is on, or was. `told`: something that happened.
             * @enum {unknown}
             */
            state: "active" | "over" | "told";
            /** @description Channel, credential or workspace; null = all requests, or named in the message. */
            subject: string | null;
            message: string;
            /** @description The measured figure; milliseconds where it is a time. */
            value: number | null;
            /** @description The one it has passed. */
            threshold: number | null;
            /** Format: date-time */
            first_at: string;
            /** Format: date-time */
            last_at: string;
            /** @description How often it was raised at this replica since its start. */
            count: number;
            /** @description Of the latest. */
            request_id: string | null;
        };
        Plan: {
            /** @constant */
            object: "plan";
            requested_model: string;
            virtual_model: string | null;
            chain: string[];
            explicit: boolean;
            would: {
                /** @enum {unknown} */
                outcome: "call" | "refuse";
                /** @description Of the target called first. */
                rank: number | null;
                error: {
                    status: number;
                    code: string | null;
                    message: string;
                    /** Format: date-time */
                    retry_at: string | null;
                } | null;
            };
            /** @enum {unknown} */
            policy: "standard" | "strict" | "permissive";
            on: string[];
            options: {
                cross_model: boolean;
                skip_incapable: boolean;
                privacy_level: string | null;
                /** @enum {unknown} */
                priority: "low" | "normal" | "high";
                /** @enum {unknown} */
                commit: "first_token" | "complete";
            };
            budgets: {
                max_attempts: number;
                deadline_ms: number;
                max_cost_nano_usd: number | null;
                /** @description Null: the policy’s own count (D-9). */
                retries: number | null;
                max_wait_ms: number;
                timeout_ms: number;
                first_token_timeout_ms: number;
                idle_timeout_ms: number;
                stall_timeout_ms: number;
            };
            clamped: {
                field: string;
                asked: number;
                given: number;
            }[];
            models: components["schemas"]["PlanModel"][];
            /** @description In the order of preference. */
            targets: components["schemas"]["PlanTarget"][];
            left_out: {
                rank: number;
                model: string;
                channel: string;
                /** @enum {unknown} */
                credential_kind: "byok" | "platform" | "none";
                credential: string | null;
                provider: string;
                upstream_model: string;
                /** @enum {unknown} */
                reason: "cooling_rate_limit" | "cooling_quota" | "cooling_auth" | "cooling_permission" | "cooling_model_not_found" | "cooling_backoff" | "drained" | "limit" | "channel_fault" | "model_over" | "probe_in_flight" | "no_larger_window" | "cross_model_off" | "incapable" | "guardrail" | "price_unknown" | "circuit_open" | "byok_only" | "channel_not_enabled" | "balance" | "store_unavailable" | "entitlement_unavailable" | "model_not_allowed" | "state_elsewhere";
                /** Format: date-time */
                available_at: string | null;
            }[];
            /** @description The attempts that would be made if every one failed so. */
            if_all_fail: {
                connection_error: components["schemas"]["PlanWalk"];
                server_error: components["schemas"]["PlanWalk"];
                rate_limit: components["schemas"]["PlanWalk"];
                timeout: components["schemas"]["PlanWalk"];
            };
        };
        PlanModel: {
            model: string;
            /** @enum {unknown} */
            origin: "request" | "virtual" | "failover_defaults" | "default_model";
            /** @description Whether a failure of any kind may lead there (D-1, C-8). */
            reachable: boolean;
            targets: number;
            /** @description Of its own; null: the request’s. */
            timeout_ms: number | null;
            skipped: {
                /** @enum {unknown} */
                reason: "cooling_rate_limit" | "cooling_quota" | "cooling_auth" | "cooling_permission" | "cooling_model_not_found" | "cooling_backoff" | "drained" | "limit" | "channel_fault" | "model_over" | "probe_in_flight" | "no_larger_window" | "cross_model_off" | "incapable" | "guardrail" | "price_unknown" | "circuit_open" | "byok_only" | "channel_not_enabled" | "balance" | "store_unavailable" | "entitlement_unavailable" | "model_not_allowed" | "state_elsewhere";
                /** Format: date-time */
                available_at: string | null;
            } | null;
        };
        PlanTarget: {
            rank: number;
            model: string;
            channel: string;
            /** @enum {unknown} */
            credential_kind: "byok" | "platform" | "none";
            credential: string | null;
            provider: string;
            upstream_model: string;
            /** @enum {unknown} */
            state: "ok" | "circuit_open" | "cooling_backoff";
            /** @description What the request would be refused with there (P-6), or `passed_over`. */
            incapable: string | null;
            /** @description Null: its price is unknown. */
            worst_cost_nano_usd: number | null;
        };
        PlanWalk: {
            attempts: {
                no: number;
                rank: number;
                model: string;
                channel: string;
                /** @enum {unknown} */
                credential_kind: "byok" | "platform" | "none";
                credential: string | null;
                provider: string;
                upstream_model: string;
                wait_ms: number;
                timeout_ms: number;
                first_token_timeout_ms: number | null;
                /** @enum {unknown} */
                decision: "serve" | "retry" | "next_credential" | "next_channel" | "next_model" | "stop";
                reason: string;
            }[];
            ends: {
                status: number;
                code: string | null;
            } | null;
        };
        UsageSum: {
            /** @description Of the key, workspace or model; null = none was known. */
            name: string | null;
            requests: number;
            failed: number;
            input_tokens: number;
            output_tokens: number;
            cost_nano_usd: number;
            waste_nano_usd: number;
            /** @description Successes whose cost nobody knows; they are not in `cost_nano_usd`. */
            unpriced: number;
            /** @description Upstream calls that these requests made. */
            upstream_calls: number;
            /** @description Requests that were a client’s own repeat of one that failed (D-7). */
            client_retries: number;
        };
        Workspace: {
            name: string;
            /** @enum {unknown} */
            managed_by: "file" | "store";
            version: number;
            /** Format: date-time */
            created_at: string | null;
            /** Format: date-time */
            updated_at: string | null;
            updated_by: string | null;
            /** @description Why it takes no part at the moment. */
            problem: string | null;
            /**
             * @description Models this workspace may use.
             * @default [
             *       "*"
             *     ]
             */
            enabled_models?: string[];
            /**
             * @description Channels whose platform credentials it may use (P-1); its own credentials may be used at all.
             * @default [
             *       "*"
             *     ]
             */
            enabled_channels?: string[];
            /** @description Defaults of the workspace. */
            redundancy?: {
                /**
                 * @description The decision table that rules (D). Default: `standard`.
                 * @enum {string}
                 */
                policy?: "standard" | "strict" | "permissive";
                /** @description Which failures let a request leave its model (C-4). `[]`: none. Default: the four triggers. */
                on?: ("connection_error" | "server_error" | "rate_limit" | "timeout" | "auth" | "model_not_found" | "context_length" | "content_policy" | "empty")[];
                /** @description `false` keeps a request on its first model (C-8). Default: `true`. */
                cross_model?: boolean;
                /** @description Pass over models that cannot do what is asked, instead of 400 (P-6). Default: `false`. */
                skip_incapable?: boolean;
                /** @description Longest time of one attempt until it commits (T-3). Default: `300000`. */
                timeout_ms?: number;
                /** @description Longest wait for the first content token (T-3). Default: `60000`. */
                first_token_timeout_ms?: number;
                /** @description Longest pause between bytes of a committed stream (T-3). Default: `60000`. */
                idle_timeout_ms?: number;
                /** @description Longest pause between content events of a committed stream (T-3). Default: `300000`. */
                stall_timeout_ms?: number;
                /** @description Further calls to one target after backoff (D-9). Default: 2 under `strict`; 1 under `standard` when there is a single target; else 0. */
                retries?: number;
                /** @description Most upstream calls of one request (D-4). Default: `6`. */
                max_attempts?: number;
                /** @description Longest time of a request until commit (D-4). Default: `570000`. */
                deadline_ms?: number;
                /** @description Most one request may cost, judged by the worst case of each attempt (D-4). Of several the lowest holds. */
                max_cost_usd?: number;
                /** @description Longest wait for a target to come back (D-3). Default: `5000`. */
                max_wait_ms?: number;
                /**
                 * @description `low` never leaves its model and is shed first (C-4). Default: `normal`.
                 * @enum {string}
                 */
                priority?: "low" | "normal" | "high";
                /**
                 * @description How private the request is: only channels whose `max_privacy` covers it are called (G-2). Default: `public`.
                 * @enum {string}
                 */
                privacy_level?: "public" | "internal" | "confidential" | "restricted";
                /**
                 * @description When an answer starts to flow to the client (T-9). Default: `first_token`.
                 * @enum {string}
                 */
                commit?: "first_token" | "complete";
                /** @description Most bytes held under `commit: complete` (T-9). Default: `8388608`. */
                max_held_bytes?: number | string;
                /** @description Start the next target in parallel after this long without a token; the first to answer is served (D-8). Default: never. */
                hedge_after_ms?: number;
                /**
                 * @description An answer that its length cut off is asked for once more with twice the output budget; not for streams (D-5). Default: it is served as it is.
                 * @enum {string}
                 */
                on_truncated?: "extend";
                /**
                 * @description What a second request under a running key gets (I-6). Not available in this version: only `join`.
                 * @enum {string}
                 */
                on_duplicate?: "join" | "reject";
                /** @description A call under an idempotency key runs on when its client leaves, for the next request of the key (T-6). Default `true`. */
                finish_on_disconnect?: boolean;
                /** @description What answers when everything failed (E-4), in order: `busy`, `{cache: {max_age_s: 60}}`, `{default: NAME}`. */
                on_exhausted?: ("busy" | {
                    cache: {
                        max_age_s: number;
                    };
                } | {
                    default: string;
                })[];
            };
            /** @description The most a request may ask for: numbers above are clamped and shown in the record, policies refused. */
            ceilings?: {
                max_attempts?: number;
                retries?: number;
                deadline_ms?: number;
                timeout_ms?: number;
                max_wait_ms?: number;
                max_cost_usd?: number;
                max_held_bytes?: number | string;
                /** @description Policies a request may name. */
                policies?: ("standard" | "strict" | "permissive")[];
            };
            /** @description Tried last, after a plain or virtual model failed, or where the one asked for is not enabled (C-7). */
            default_model?: string | null;
            routing?: {
                /**
                 * @description How the channels of a model are ordered (P-2). Default: `priority`.
                 * @enum {string}
                 */
                strategy?: "priority" | "price" | "latency" | "throughput" | "least_busy" | "weighted" | "round_robin";
                /**
                 * @description Keeps a caller on its first healthy channel for 10 minutes, known by this field of its requests. Default: `none`.
                 * @enum {string}
                 */
                affinity?: "none" | "prompt_cache_key" | "user";
                /** @description `prefer` moves a channel to the front; `byok_only` lets nothing be called but the own credentials of such channels (P-3). */
                channels?: {
                    [key: string]: {
                        [key: string]: {
                            prefer?: boolean;
                            byok_only?: boolean;
                        };
                    };
                };
            };
            /** @description Own names for lists of models (C-6). A request names one alone, as its `model`. */
            virtual_models?: {
                [key: string]: {
                    /** @description Up to 10, in the order to try. What a key may not call it is never given (G-3). */
                    models: string[];
                    routing?: {
                        /**
                         * @description How the channels of a model are ordered (P-2). Default: `priority`.
                         * @enum {string}
                         */
                        strategy?: "priority" | "price" | "latency" | "throughput" | "least_busy" | "weighted" | "round_robin";
                        /**
                         * @description Keeps a caller on its first healthy channel for 10 minutes, known by this field of its requests. Default: `none`.
                         * @enum {string}
                         */
                        affinity?: "none" | "prompt_cache_key" | "user";
                        /** @description `prefer` moves a channel to the front; `byok_only` lets nothing be called but the own credentials of such channels (P-3). */
                        channels?: {
                            [key: string]: {
                                [key: string]: {
                                    prefer?: boolean;
                                    byok_only?: boolean;
                                };
                            };
                        };
                    };
                    redundancy?: {
                        /**
                         * @description The decision table that rules (D). Default: `standard`.
                         * @enum {string}
                         */
                        policy?: "standard" | "strict" | "permissive";
                        /** @description Which failures let a request leave its model (C-4). `[]`: none. Default: the four triggers. */
                        on?: ("connection_error" | "server_error" | "rate_limit" | "timeout" | "auth" | "model_not_found" | "context_length" | "content_policy" | "empty")[];
                        /** @description `false` keeps a request on its first model (C-8). Default: `true`. */
                        cross_model?: boolean;
                        /** @description Pass over models that cannot do what is asked, instead of 400 (P-6). Default: `false`. */
                        skip_incapable?: boolean;
                        /** @description Longest time of one attempt until it commits (T-3). Default: `300000`. */
                        timeout_ms?: number;
                        /** @description Longest wait for the first content token (T-3). Default: `60000`. */
                        first_token_timeout_ms?: number;
                        /** @description Longest pause between bytes of a committed stream (T-3). Default: `60000`. */
                        idle_timeout_ms?: number;
                        /** @description Longest pause between content events of a committed stream (T-3). Default: `300000`. */
                        stall_timeout_ms?: number;
                        /** @description Further calls to one target after backoff (D-9). Default: 2 under `strict`; 1 under `standard` when there is a single target; else 0. */
                        retries?: number;
                        /** @description Most upstream calls of one request (D-4). Default: `6`. */
                        max_attempts?: number;
                        /** @description Longest time of a request until commit (D-4). Default: `570000`. */
                        deadline_ms?: number;
                        /** @description Most one request may cost, judged by the worst case of each attempt (D-4). Of several the lowest holds. */
                        max_cost_usd?: number;
                        /** @description Longest wait for a target to come back (D-3). Default: `5000`. */
                        max_wait_ms?: number;
                        /**
                         * @description `low` never leaves its model and is shed first (C-4). Default: `normal`.
                         * @enum {string}
                         */
                        priority?: "low" | "normal" | "high";
                        /**
                         * @description How private the request is: only channels whose `max_privacy` covers it are called (G-2). Default: `public`.
                         * @enum {string}
                         */
                        privacy_level?: "public" | "internal" | "confidential" | "restricted";
                        /**
                         * @description When an answer starts to flow to the client (T-9). Default: `first_token`.
                         * @enum {string}
                         */
                        commit?: "first_token" | "complete";
                        /** @description Most bytes held under `commit: complete` (T-9). Default: `8388608`. */
                        max_held_bytes?: number | string;
                        /** @description Start the next target in parallel after this long without a token; the first to answer is served (D-8). Default: never. */
                        hedge_after_ms?: number;
                        /**
                         * @description An answer that its length cut off is asked for once more with twice the output budget; not for streams (D-5). Default: it is served as it is.
                         * @enum {string}
                         */
                        on_truncated?: "extend";
                        /**
                         * @description What a second request under a running key gets (I-6). Not available in this version: only `join`.
                         * @enum {string}
                         */
                        on_duplicate?: "join" | "reject";
                        /** @description A call under an idempotency key runs on when its client leaves, for the next request of the key (T-6). Default `true`. */
                        finish_on_disconnect?: boolean;
                        /** @description What answers when everything failed (E-4), in order: `busy`, `{cache: {max_age_s: 60}}`, `{default: NAME}`. */
                        on_exhausted?: ("busy" | {
                            cache: {
                                max_age_s: number;
                            };
                        } | {
                            default: string;
                        })[];
                    };
                };
            };
            /** @description The models behind the built-in name `understudy/auto`, in order (C-6). None: it does not exist. */
            auto?: string[];
            /** @description What the workspace may not use (G-2): models and channels (`MODEL#CHANNEL`) by pattern, regions, and requests more private than `max_privacy`. Under `allow_regions` a channel without region is forbidden. */
            guardrails?: {
                deny_models?: string[];
                deny_channels?: string[];
                allow_regions?: string[];
                deny_regions?: string[];
                /** @enum {string} */
                max_privacy?: "public" | "internal" | "confidential" | "restricted";
            };
            /** @description What a prepaid workspace is granted (G-4): once; a changed figure changes the balance by the difference. Absent: it is not prepaid. */
            balance_usd?: number | null;
            /** @description What may be used at most (P-4, G-11). A call that finds it used up goes elsewhere, or is refused. */
            limits?: {
                /** @description Requests per minute. */
                rpm?: number;
                /** @description Tokens per minute, input and output. */
                tpm?: number;
                /** @description Requests per UTC day. */
                rpd?: number;
                /** @description Requests at the same time. */
                concurrent?: number;
                /** @description Tokens per UTC day. */
                tokens_per_day?: number;
                /** @description Tokens per UTC month. */
                tokens_per_month?: number;
                /** @description Spend per UTC day. */
                usd_per_day?: number;
                /** @description Spend per UTC month. */
                usd_per_month?: number;
                /** @description Passed with an alert instead of a refusal. */
                soft?: {
                    /** @description Tokens per UTC day. */
                    tokens_per_day?: number;
                    /** @description Tokens per UTC month. */
                    tokens_per_month?: number;
                    /** @description Spend per UTC day. */
                    usd_per_day?: number;
                    /** @description Spend per UTC month. */
                    usd_per_month?: number;
                };
            };
            /** @description Whether answers are kept, to be given again by `on_exhausted: [{cache: …}]` (E-4). */
            answers?: {
                /** @description Keep whole answers, encrypted. Default: `false`. */
                keep?: boolean;
                /** @description How long; then they are deleted. Default: `24h`. */
                max_age?: number | string;
                /** @description Most bytes of all of them; the oldest make room. Default: `64mb`. */
                max_bytes?: number | string;
            };
            /** @description Derive an idempotency key for requests that send none (I-10): equal ones within 15 minutes join, and a retry gets what its first try made. A key beats its workspace; default `false`. */
            auto_idempotency?: boolean;
            /**
             * @description Who shares idempotency keys (I-1): each client key has its own, or all of a workspace have the same. A key beats its workspace; default `key`.
             * @enum {string}
             */
            idempotency_scope?: "key" | "workspace";
        };
        Balance: {
            workspace: string;
            /** @description Whether requests need a balance at all. */
            prepaid: boolean;
            balance_usd: number | null;
            /** @description The balance less what running attempts hold back. */
            available_usd: number | null;
            /** @description The same, exactly: a whole number as text. */
            balance_nano_usd: string | null;
            available_nano_usd: string | null;
        };
        LedgerEntry: {
            id: string;
            /** Format: date-time */
            at: string;
            /** @enum {unknown} */
            kind: "grant" | "topup" | "adjust" | "charge";
            /** @description Negative = money left the balance. */
            amount_usd: number;
            amount_nano_usd: string;
            attempt_id: string | null;
            note: string | null;
            by: string;
        };
        Key: {
            name: string;
            workspace: string;
            usage: {
                day: {
                    requests: number;
                    tokens: number;
                    spend_usd: number;
                };
                month: {
                    requests: number;
                    tokens: number;
                    spend_usd: number;
                };
                in_flight: number;
            };
            breaker: {
                /** @enum {unknown} */
                state: "ok" | "suspended" | "banned";
                /** Format: date-time */
                since: string | null;
                /**
                 * Format: date-time
                 * @description When a suspension ends; a ban ends when it is lifted.
                 */
                until: string | null;
            };
            /** @enum {unknown} */
            managed_by: "file" | "store";
            version: number;
            /** Format: date-time */
            created_at: string | null;
            /** Format: date-time */
            updated_at: string | null;
            updated_by: string | null;
            /** @description Why it takes no part at the moment. */
            problem: string | null;
            /**
             * @description Models this key may call.
             * @default [
             *       "*"
             *     ]
             */
            models?: string[];
            /** @description What may be used at most (P-4, G-11). A call that finds it used up goes elsewhere, or is refused. */
            limits?: {
                /** @description Requests per minute. */
                rpm?: number;
                /** @description Tokens per minute, input and output. */
                tpm?: number;
                /** @description Requests per UTC day. */
                rpd?: number;
                /** @description Requests at the same time. */
                concurrent?: number;
                /** @description Tokens per UTC day. */
                tokens_per_day?: number;
                /** @description Tokens per UTC month. */
                tokens_per_month?: number;
                /** @description Spend per UTC day. */
                usd_per_day?: number;
                /** @description Spend per UTC month. */
                usd_per_month?: number;
                /** @description Passed with an alert instead of a refusal. */
                soft?: {
                    /** @description Tokens per UTC day. */
                    tokens_per_day?: number;
                    /** @description Tokens per UTC month. */
                    tokens_per_month?: number;
                    /** @description Spend per UTC day. */
                    usd_per_day?: number;
                    /** @description Spend per UTC month. */
                    usd_per_month?: number;
                };
            };
            /** @description The first moment it no longer works, e.g. 2027-12-31 (UTC). */
            expires_at?: string;
            /** @description The chain a plain request for one of these models gets, and its options (C-5). */
            failover_defaults?: {
                /** @description Up to 3 distinct models, in order (C-5). */
                models?: string[];
                timeout_ms?: number;
                first_token_timeout_ms?: number;
                /** @description Which failures let a request leave its model (C-4). `[]`: none. Default: the four triggers. */
                on?: ("connection_error" | "server_error" | "rate_limit" | "timeout" | "auth" | "model_not_found" | "context_length" | "content_policy" | "empty")[];
            };
            /** @description Defaults of the key. */
            redundancy?: {
                /**
                 * @description The decision table that rules (D). Default: `standard`.
                 * @enum {string}
                 */
                policy?: "standard" | "strict" | "permissive";
                /** @description Which failures let a request leave its model (C-4). `[]`: none. Default: the four triggers. */
                on?: ("connection_error" | "server_error" | "rate_limit" | "timeout" | "auth" | "model_not_found" | "context_length" | "content_policy" | "empty")[];
                /** @description `false` keeps a request on its first model (C-8). Default: `true`. */
                cross_model?: boolean;
                /** @description Pass over models that cannot do what is asked, instead of 400 (P-6). Default: `false`. */
                skip_incapable?: boolean;
                /** @description Longest time of one attempt until it commits (T-3). Default: `300000`. */
                timeout_ms?: number;
                /** @description Longest wait for the first content token (T-3). Default: `60000`. */
                first_token_timeout_ms?: number;
                /** @description Longest pause between bytes of a committed stream (T-3). Default: `60000`. */
                idle_timeout_ms?: number;
                /** @description Longest pause between content events of a committed stream (T-3). Default: `300000`. */
                stall_timeout_ms?: number;
                /** @description Further calls to one target after backoff (D-9). Default: 2 under `strict`; 1 under `standard` when there is a single target; else 0. */
                retries?: number;
                /** @description Most upstream calls of one request (D-4). Default: `6`. */
                max_attempts?: number;
                /** @description Longest time of a request until commit (D-4). Default: `570000`. */
                deadline_ms?: number;
                /** @description Most one request may cost, judged by the worst case of each attempt (D-4). Of several the lowest holds. */
                max_cost_usd?: number;
                /** @description Longest wait for a target to come back (D-3). Default: `5000`. */
                max_wait_ms?: number;
                /**
                 * @description `low` never leaves its model and is shed first (C-4). Default: `normal`.
                 * @enum {string}
                 */
                priority?: "low" | "normal" | "high";
                /**
                 * @description How private the request is: only channels whose `max_privacy` covers it are called (G-2). Default: `public`.
                 * @enum {string}
                 */
                privacy_level?: "public" | "internal" | "confidential" | "restricted";
                /**
                 * @description When an answer starts to flow to the client (T-9). Default: `first_token`.
                 * @enum {string}
                 */
                commit?: "first_token" | "complete";
                /** @description Most bytes held under `commit: complete` (T-9). Default: `8388608`. */
                max_held_bytes?: number | string;
                /** @description Start the next target in parallel after this long without a token; the first to answer is served (D-8). Default: never. */
                hedge_after_ms?: number;
                /**
                 * @description An answer that its length cut off is asked for once more with twice the output budget; not for streams (D-5). Default: it is served as it is.
                 * @enum {string}
                 */
                on_truncated?: "extend";
                /**
                 * @description What a second request under a running key gets (I-6). Not available in this version: only `join`.
                 * @enum {string}
                 */
                on_duplicate?: "join" | "reject";
                /** @description A call under an idempotency key runs on when its client leaves, for the next request of the key (T-6). Default `true`. */
                finish_on_disconnect?: boolean;
                /** @description What answers when everything failed (E-4), in order: `busy`, `{cache: {max_age_s: 60}}`, `{default: NAME}`. */
                on_exhausted?: ("busy" | {
                    cache: {
                        max_age_s: number;
                    };
                } | {
                    default: string;
                })[];
            };
            /** @description The most a request may ask for: numbers above are clamped and shown in the record, policies refused. */
            ceilings?: {
                max_attempts?: number;
                retries?: number;
                deadline_ms?: number;
                timeout_ms?: number;
                max_wait_ms?: number;
                max_cost_usd?: number;
                max_held_bytes?: number | string;
                /** @description Policies a request may name. */
                policies?: ("standard" | "strict" | "permissive")[];
            };
            /** @description It may fail its own requests on purpose, with the header `X-Understudy-Rehearse` (X-4). Default `false`. */
            allow_rehearse?: boolean;
            /** @description Derive an idempotency key for requests that send none (I-10): equal ones within 15 minutes join, and a retry gets what its first try made. A key beats its workspace; default `false`. */
            auto_idempotency?: boolean;
            /**
             * @description Who shares idempotency keys (I-1): each client key has its own, or all of a workspace have the same. A key beats its workspace; default `key`.
             * @enum {string}
             */
            idempotency_scope?: "key" | "workspace";
        };
        NewKey: {
            /** @description The client key. Shown this once: only its hash is kept. */
            secret: string;
            key: components["schemas"]["Key"];
        };
        Credential: {
            name: string;
            /** @enum {unknown} */
            kind: "platform" | "byok";
            order: number;
            /** @enum {unknown} */
            managed_by: "file" | "store";
            version: number;
            /** Format: date-time */
            created_at: string | null;
            /** Format: date-time */
            updated_at: string | null;
            updated_by: string | null;
            /** @description Why it takes no part at the moment. */
            problem: string | null;
            /** @description Name of an entry under `providers`. */
            provider?: string;
            /** @description The owner of a `byok` credential. */
            workspace?: string;
            /** @description The workspace's own address for the provider, of a `byok` credential. Default: the provider's. The provider's `headers` are not sent there. */
            base_url?: string;
            /** @description What may be used at most (P-4, G-11). A call that finds it used up goes elsewhere, or is refused. */
            limits?: {
                /** @description Requests per minute. */
                rpm?: number;
                /** @description Tokens per minute, input and output. */
                tpm?: number;
                /** @description Requests per UTC day. */
                rpd?: number;
                /** @description Requests at the same time. */
                concurrent?: number;
                /** @description Tokens per UTC day. */
                tokens_per_day?: number;
                /** @description Tokens per UTC month. */
                tokens_per_month?: number;
                /** @description Spend per UTC day. */
                usd_per_day?: number;
                /** @description Spend per UTC month. */
                usd_per_month?: number;
                /** @description Passed with an alert instead of a refusal. */
                soft?: {
                    /** @description Tokens per UTC day. */
                    tokens_per_day?: number;
                    /** @description Tokens per UTC month. */
                    tokens_per_month?: number;
                    /** @description Spend per UTC day. */
                    usd_per_day?: number;
                    /** @description Spend per UTC month. */
                    usd_per_month?: number;
                };
            };
        };
        Member: {
            name: string;
            /** @enum {unknown} */
            role: "account_admin" | "workspace_admin" | "member";
            /** @enum {unknown} */
            managed_by: "file" | "store";
            version: number;
            /** Format: date-time */
            created_at: string | null;
            /** Format: date-time */
            updated_at: string | null;
            updated_by: string | null;
            /** @description Why it takes no part at the moment. */
            problem: string | null;
            /** @description Name of an entry under `workspaces`. Every role but `account_admin` needs one. */
            workspace?: string;
        };
        NewMember: {
            /** @description The member’s token. Shown this once: only its hash is kept. */
            token: string;
            member: components["schemas"]["Member"];
        };
        /** @description USD per million tokens; null = unknown, which is not 0. */
        Price: {
            input: number | null;
            output: number | null;
            cached_input: number | null;
            cache_write: number | null;
            audio_in: number | null;
            audio_out: number | null;
            /** @description Other prices for requests with more input tokens than `above`; the last that holds counts. */
            tiers?: {
                above: number;
                input: number | null;
                output: number | null;
                cached_input: number | null;
                cache_write: number | null;
                audio_in: number | null;
                audio_out: number | null;
            }[];
        };
        Model: {
            id: string;
            /** @description Stands for every `PROVIDER/NAME`. */
            wildcard: boolean;
            context_window: number | null;
            max_output_tokens: number | null;
            capabilities: {
                apis: string[] | null;
                input: string[] | null;
                features: string[] | null;
                /** @description Known to be missing from a list that is not the whole truth. */
                lacks?: Record<string, never>;
            };
            price: components["schemas"]["Price"] | null;
            /** @description Figures that are the shipped catalogue’s and not the file’s, with the dates they are of. */
            catalogued: {
                price?: {
                    date: string;
                    /** @description Why the bill may say otherwise. */
                    estimate: string | null;
                };
                context_window?: string;
                max_output_tokens?: string;
                capabilities?: string;
            } | null;
            channels: components["schemas"]["Channel"][];
        };
        Channel: {
            /** @description `MODEL#CHANNEL`. */
            id: string;
            model: string;
            channel: string;
            provider: string;
            upstream_model: string;
            priority: number;
            weight: number;
            region: string | null;
            max_privacy: string;
            context_window: number | null;
            max_output_tokens: number | null;
            capabilities: {
                apis: string[] | null;
                input: string[] | null;
                features: string[] | null;
                /** @description Known to be missing from a list that is not the whole truth. */
                lacks?: Record<string, never>;
            };
            price: components["schemas"]["Price"] | null;
            /** @description Figures that are the shipped catalogue’s and not the file’s, with the dates they are of. */
            catalogued: {
                price?: {
                    date: string;
                    /** @description Why the bill may say otherwise. */
                    estimate: string | null;
                };
                context_window?: string;
                max_output_tokens?: string;
                capabilities?: string;
            } | null;
            /** @description As in the configuration file. */
            limits: Record<string, never> | null;
            /** @description In the order they are tried. */
            credentials: string[];
        };
        VirtualModel: {
            workspace: string;
            name: string;
            /** @enum {unknown} */
            managed_by: "file" | "store";
            /** @description Up to 10, in the order to try. What a key may not call it is never given (G-3). */
            models?: string[];
            routing?: {
                /**
                 * @description How the channels of a model are ordered (P-2). Default: `priority`.
                 * @enum {string}
                 */
                strategy?: "priority" | "price" | "latency" | "throughput" | "least_busy" | "weighted" | "round_robin";
                /**
                 * @description Keeps a caller on its first healthy channel for 10 minutes, known by this field of its requests. Default: `none`.
                 * @enum {string}
                 */
                affinity?: "none" | "prompt_cache_key" | "user";
                /** @description `prefer` moves a channel to the front; `byok_only` lets nothing be called but the own credentials of such channels (P-3). */
                channels?: {
                    [key: string]: {
                        [key: string]: {
                            prefer?: boolean;
                            byok_only?: boolean;
                        };
                    };
                };
            };
            redundancy?: {
                /**
                 * @description The decision table that rules (D). Default: `standard`.
                 * @enum {string}
                 */
                policy?: "standard" | "strict" | "permissive";
                /** @description Which failures let a request leave its model (C-4). `[]`: none. Default: the four triggers. */
                on?: ("connection_error" | "server_error" | "rate_limit" | "timeout" | "auth" | "model_not_found" | "context_length" | "content_policy" | "empty")[];
                /** @description `false` keeps a request on its first model (C-8). Default: `true`. */
                cross_model?: boolean;
                /** @description Pass over models that cannot do what is asked, instead of 400 (P-6). Default: `false`. */
                skip_incapable?: boolean;
                /** @description Longest time of one attempt until it commits (T-3). Default: `300000`. */
                timeout_ms?: number;
                /** @description Longest wait for the first content token (T-3). Default: `60000`. */
                first_token_timeout_ms?: number;
                /** @description Longest pause between bytes of a committed stream (T-3). Default: `60000`. */
                idle_timeout_ms?: number;
                /** @description Longest pause between content events of a committed stream (T-3). Default: `300000`. */
                stall_timeout_ms?: number;
                /** @description Further calls to one target after backoff (D-9). Default: 2 under `strict`; 1 under `standard` when there is a single target; else 0. */
                retries?: number;
                /** @description Most upstream calls of one request (D-4). Default: `6`. */
                max_attempts?: number;
                /** @description Longest time of a request until commit (D-4). Default: `570000`. */
                deadline_ms?: number;
                /** @description Most one request may cost, judged by the worst case of each attempt (D-4). Of several the lowest holds. */
                max_cost_usd?: number;
                /** @description Longest wait for a target to come back (D-3). Default: `5000`. */
                max_wait_ms?: number;
                /**
                 * @description `low` never leaves its model and is shed first (C-4). Default: `normal`.
                 * @enum {string}
                 */
                priority?: "low" | "normal" | "high";
                /**
                 * @description How private the request is: only channels whose `max_privacy` covers it are called (G-2). Default: `public`.
                 * @enum {string}
                 */
                privacy_level?: "public" | "internal" | "confidential" | "restricted";
                /**
                 * @description When an answer starts to flow to the client (T-9). Default: `first_token`.
                 * @enum {string}
                 */
                commit?: "first_token" | "complete";
                /** @description Most bytes held under `commit: complete` (T-9). Default: `8388608`. */
                max_held_bytes?: number | string;
                /** @description Start the next target in parallel after this long without a token; the first to answer is served (D-8). Default: never. */
                hedge_after_ms?: number;
                /**
                 * @description An answer that its length cut off is asked for once more with twice the output budget; not for streams (D-5). Default: it is served as it is.
                 * @enum {string}
                 */
                on_truncated?: "extend";
                /**
                 * @description What a second request under a running key gets (I-6). Not available in this version: only `join`.
                 * @enum {string}
                 */
                on_duplicate?: "join" | "reject";
                /** @description A call under an idempotency key runs on when its client leaves, for the next request of the key (T-6). Default `true`. */
                finish_on_disconnect?: boolean;
                /** @description What answers when everything failed (E-4), in order: `busy`, `{cache: {max_age_s: 60}}`, `{default: NAME}`. */
                on_exhausted?: ("busy" | {
                    cache: {
                        max_age_s: number;
                    };
                } | {
                    default: string;
                })[];
            };
        };
        Policy: {
            /** @enum {unknown} */
            name: "standard" | "strict" | "permissive";
            cells: components["schemas"]["PolicyCell"][];
        };
        PolicyCell: {
            row: string;
            /** @description In force now, in order. */
            steps: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
            built_in: ("wait_retry" | "retry" | "next_credential" | "next_channel" | "next_channel_larger" | "next_model" | "next_model_larger" | "alert" | "stop")[];
            overridden: boolean;
            /** @description The target is repeated only where the plan has no other. */
            repeat_only_if_single: boolean;
            /** @description Repeats of this cell; null = the policy’s own (D-9). */
            repeats: number | null;
            /** @description Under an idempotency key the row of the class holds instead. */
            keyed_reads_class: boolean;
        };
        WhatIf: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            /** @description Requests of which at least one call failed, rehearsals aside. */
            requests: number;
            /** @description Those whose decisions could be made again. */
            replayed: number;
            /** @description Those whose record lacks what their run started from, or tells of another version’s decisions. */
            not_replayable: number;
            /** @description Those that would have gone another way; `by_cell` says where. */
            changed: number;
            /** @description Those that would have gone the same way to another error. */
            other_error: number;
            /** @description Those in which a call would have had another time limit: how it would have ended is not known. */
            undecided: number;
            /** @description Only the newest were looked at: there were too many, or it took too long. */
            partial: boolean;
            /**
             * Format: date-time
             * @description Of the oldest request that was looked at.
             */
            oldest_at: string | null;
            /** @description By the first decision that differs; most requests first. */
            by_cell: components["schemas"]["WhatIfCell"][];
        };
        WhatIfCell: {
            /**
             * @description The row that was read; null: nothing had failed, models that rest were passed or not (P-4).
             * @enum {unknown}
             */
            row: "maybe_executed" | "rate_limit" | "quota_exhausted" | "overloaded" | "server_error" | "malformed" | "timeout" | "connection_error" | "auth" | "permission" | "model_not_found" | "context_length" | "payload_too_large" | "content_policy" | "invalid_request" | "unsupported" | "generation_rejected" | "gateway_rejected" | "client_closed" | "empty" | null;
            /**
             * @description What had failed.
             * @enum {unknown}
             */
            class: "connection_error" | "timeout" | "rate_limit" | "quota_exhausted" | "overloaded" | "server_error" | "malformed" | "auth" | "permission" | "model_not_found" | "context_length" | "content_policy" | "invalid_request" | "unsupported" | "payload_too_large" | "generation_rejected" | "gateway_rejected" | "client_closed" | "empty" | null;
            /**
             * @description What was decided.
             * @enum {unknown}
             */
            was: "retry" | "next_credential" | "next_channel" | "next_model" | "stop" | "hedge" | "no_hedge";
            /**
             * @description What would have been. `hedge`, `no_hedge`: a second call beside the first (D-8). The same word as `was`: at another target.
             * @enum {unknown}
             */
            would: "retry" | "next_credential" | "next_channel" | "next_model" | "stop" | "hedge" | "no_hedge";
            requests: number;
            /** @description How they really ended. Where `would` is `stop`, those of `success` would have been lost. */
            outcomes: {
                success: number;
                client_error: number;
                upstream_rate_limited: number;
                upstream_unavailable: number;
                network_unknown: number;
                safety_refusal: number;
            };
            /** @description Calls that followed and would not have been made; known where `would` is `stop` alone. */
            calls_saved: number | null;
            /** @description What those cost; null: nobody knows. */
            cost_saved_nano_usd: number | null;
            /** @description The newest of them. */
            example_request_ids: string[];
        };
        Webhook: {
            name: string;
            url: string;
            /** @description Messages carry the signatures of two secrets. */
            renewing: boolean;
            /** @enum {unknown} */
            managed_by: "file" | "store";
            version: number;
            /** Format: date-time */
            created_at: string | null;
            /** Format: date-time */
            updated_at: string | null;
            updated_by: string | null;
            /** @description Why it takes no part at the moment. */
            problem: string | null;
            /**
             * @description Which events are sent.
             * @default [
             *       "*"
             *     ]
             */
            events?: string[];
            /** @description Only events of this workspace. Without it those of all workspaces and of the gateway itself. */
            workspace?: string;
            /**
             * @description `false` sends nothing and keeps the entry.
             * @default true
             */
            enabled?: boolean;
        };
        NewWebhook: {
            /** @description What messages are signed with. Shown this once: it is kept sealed. */
            secret: string;
            webhook: components["schemas"]["Webhook"];
        };
        WebhookTest: {
            /** @description `webhook-id` of the message that was sent. */
            id: string;
            delivered: boolean;
            status: number | null;
            /** @description The beginning of what was answered, or why nothing was. */
            answer: string | null;
            took_ms: number;
        };
        Delivery: {
            /** @description `webhook-id` of the message, the same in every try. */
            id: string;
            webhook: string;
            /** @description Ids of the events it tells of. */
            events: string[];
            types: string[];
            /** @enum {unknown} */
            state: "waiting" | "delivered" | "given_up";
            tries: number;
            /** Format: date-time */
            at: string;
            /**
             * Format: date-time
             * @description When it is tried next.
             */
            next_at: string | null;
            /**
             * Format: date-time
             * @description When it was delivered or given up.
             */
            done_at: string | null;
            /** @description Of the last try; null = there was no answer. */
            status: number | null;
            /** @description The beginning of what was answered, or why nothing was. */
            answer: string | null;
            took_ms: number | null;
        };
        AuditEntry: {
            /** @description Grows with every entry that is written. */
            seq: string;
            /** Format: date-time */
            at: string;
            /** @description `admin`, a member’s name, `gateway`, `file`, or `key NAME`. */
            actor: string;
            /** @description As in `key.create`, `balance.topup`, `request.failover`. */
            action: string;
            /** @description What it was done to: its kind and name. */
            object: string;
            /** @description Whose it is; null = the account’s. */
            workspace: string | null;
            request_id: string | null;
            /** @description Its fields; never a secret. */
            before: Record<string, never> | null;
            /** @description Its fields; never a secret. */
            after: Record<string, never> | null;
            /** @description Of the caller; told to account admins. */
            ip: string | null;
        };
        SealRotation: {
            /** @enum {unknown} */
            key_source: "environment" | "file";
            /** @description Of the key in use now; not a secret. */
            key_id: string;
            resealed: number;
            /** @description What no known key opens; it was left as it was. */
            broken: string[];
            /** @description Keys still kept because something needs them, or the environment holds them. */
            older_keys: number;
        };
        SigningKeys: {
            /** @description The oldest first. */
            data: {
                /** @description As in tokens and in /.well-known/jwks.json. */
                kid: string;
                /** @enum {unknown} */
                state: "next" | "current" | "retired";
                /** Format: date-time */
                since: string;
            }[];
        };
        Applied: {
            /** @description False for a dry run. */
            applied: boolean;
            /** @description Mark of the configuration the differences are counted from. */
            base: string;
            changes: components["schemas"]["Difference"][];
            store: components["schemas"]["StoreEffect"][];
            /** @description What an operator should know. */
            notes: string[];
        };
        Difference: {
            /** @enum {unknown} */
            change: "added" | "changed" | "removed";
            /** @enum {unknown} */
            kind: "provider" | "credential" | "model" | "alias" | "workspace" | "key" | "member" | "webhook" | "setting";
            name: string;
            /** @description What changes in it; empty for what is added or removed as a whole. */
            fields: {
                path: string;
                from?: unknown;
                to?: unknown;
                /** @constant */
                secret?: true;
            }[];
        };
        StoreEffect: {
            /** @enum {unknown} */
            kind: "workspace" | "key" | "credential" | "member" | "webhook";
            name: string;
            /**
             * @description What happens to an object of the store: the file names one like it; it no longer fits; it is back.
             * @enum {unknown}
             */
            effect: "hidden" | "set_aside" | "returns";
            reason: string | null;
        };
        Session: {
            /** @description `admin`, or the member’s name. */
            name: string;
            /** @enum {unknown} */
            role: "account_admin" | "workspace_admin" | "member";
            /** @description The one workspace of a member that has one. */
            workspace: string | null;
            /** @description Sent as `X-Understudy-CSRF` with every change by the session’s cookie. */
            csrf_token: string;
            /**
             * Format: date-time
             * @description Unless it is used before.
             */
            expires_at: string;
        };
        OwnKey: {
            name: string;
            workspace: string;
            /** @enum {unknown} */
            state: "ok" | "suspended" | "banned";
            /** Format: date-time */
            suspended_until: string | null;
            /** Format: date-time */
            expires_at: string | null;
            /** @description Patterns of models it may call. */
            models: string[];
            /** @description As in the configuration file; null = there are none. */
            limits: Record<string, never> | null;
            usage: {
                in_flight: number;
                day: {
                    /** Format: date-time */
                    from: string;
                    /** Format: date-time */
                    to: string;
                    requests: number;
                    tokens: number;
                    spend_usd: number;
                };
                month: {
                    /** Format: date-time */
                    from: string;
                    /** Format: date-time */
                    to: string;
                    requests: number;
                    tokens: number;
                    spend_usd: number;
                };
            };
            /** @description Of each limit there is, by its name; null = there are none. */
            remaining: {
                [key: string]: number;
            } | null;
            /** @description As in the configuration file; null = there are none. */
            workspace_limits: Record<string, never> | null;
            /** @description Of each limit there is, by its name; null = there are none. */
            workspace_remaining: {
                [key: string]: number;
            } | null;
            balance: {
                prepaid: boolean;
                balance_usd: number | null;
                available_usd: number | null;
            };
        };
        OwnRequest: {
            id: string;
            client_request_id: string | null;
            /** Format: date-time */
            at: string;
            workspace: string;
            key: string | null;
            endpoint: string;
            stream: boolean;
            requested_model: string | null;
            served_model: string | null;
            status: number;
            /** @enum {unknown} */
            outcome: "success" | "client_error" | "upstream_rate_limited" | "upstream_unavailable" | "network_unknown" | "safety_refusal";
            /** @enum {unknown} */
            ending: "served" | "failed" | "rejected" | "interrupted" | "client_closed" | "replayed" | "joined" | "queued";
            error_code: string | null;
            degraded: boolean;
            degraded_reasons: string[];
            latency_ms: number;
            ttft_ms: number | null;
            usage: components["schemas"]["Usage"] | null;
            cost_nano_usd: number | null;
        };
        OwnJob: {
            id: string;
            /** @constant */
            object: "job";
            /** @enum {unknown} */
            status: "processing" | "succeeded" | "failed";
            status_url: string;
            request_id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            finished_at: string | null;
            /** Format: date-time */
            expires_at: string;
            tries: number;
            max_tries: number;
            /** @description That the answer would have had. */
            status_code: number | null;
            result_request_id: string | null;
            /** @description The answer, byte for byte; null until it has succeeded. */
            result: unknown;
            error: components["schemas"]["JobError"] | null;
        };
        /** @description The error object the answer would have had. */
        JobError: Record<string, never>;
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
