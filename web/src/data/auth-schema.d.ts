// Written by `npm run openapi`: do not edit.

export interface paths {
    "/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the session
         * @description Who is signed in with this browser, and how one may sign in. Without a session, or with one that has ended, `signed_in` is false.
         */
        get: operations["get_session"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description Ends the session of this browser, and removes its cookie.
         */
        post: operations["sign_out"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description Where you are signed in, latest sign-in first.
         */
        get: operations["list_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions/{session_id}": {
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
         * End a session
         * @description Signs you out of one browser, from its next request on.
         */
        delete: operations["end_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions/end-others": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End all other sessions
         * @description Signs you out of every other browser, from its next request on.
         */
        post: operations["end_other_sessions"];
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
        ValidationError: {
            type: string;
            loc: (string | number)[];
            msg: string;
            input?: unknown;
            ctx?: {
                [key: string]: unknown;
            };
        };
        Session: {
            signed_in: boolean;
            /** @description Whether the second factor is still missing. */
            pending?: boolean;
            /** @description What the second factor may be. */
            second_factors?: ("totp" | "recovery_code" | "passkey")[];
            user?: {
                /** Format: uuid */
                id: string;
                /** Format: email */
                email: string;
                name?: string;
            };
            /**
             * Format: date-time
             * @description Until when dangerous operations need no further proof.
             */
            proven_until?: string;
            sign_in: {
                /**
                 * @description Who may sign up: everyone, or those who have an open invitation.
                 * @enum {unknown}
                 */
                sign_up: "open" | "invited";
                /** @description With whom one may sign in. */
                providers: {
                    id: string;
                    name: string;
                }[];
                /** @description Whether passkeys work at the public address: an IP address has none. */
                passkeys: boolean;
                /** @description Whether links are sent by mail. */
                mail: boolean;
            };
        };
        OpenSession: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_seen_at?: string;
            /** @description What the browser called itself at sign-in. */
            user_agent?: string;
            /** @description The address, or the /64 network, of the sign-in. */
            network?: string;
            /** @description Whether this request came through it. */
            current: boolean;
        };
        SessionsEnded: {
            ended: number;
        };
        /** @enum {string} */
        ErrorCode: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "session_required";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    sign_out: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout" | "session_required";
                    };
                };
            };
        };
    };
    list_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Latest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenSession"][];
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout" | "session_required";
                    };
                };
            };
        };
    };
    end_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A session of the person. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "session_required";
                    };
                };
            };
        };
    };
    end_other_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many sessions have ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionsEnded"];
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout" | "session_required";
                    };
                };
            };
        };
    };
}
