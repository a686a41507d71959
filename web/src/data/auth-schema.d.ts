// Written by `npm run openapi`: do not edit.

export interface paths {
    "/auth/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a password
         * @description Begins a session. If the person has a second factor, the session is pending until they give it. Attempts are counted by network, and by address.
         */
        post: operations["sign_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a link by mail
         * @description Mails a link that sets a new password, or one to sign up if the address is new and may. The answer is the same for every address.
         */
        post: operations["request_link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/links/look": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look at a link
         * @description What a link is for. Looking changes nothing: mail scanners follow links too.
         */
        post: operations["look_at_link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/links/use": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Use a link
         * @description Begins a session by a link. To sign up takes a name and a password, to reset a password, and a link from the operator neither, or the first password of a person who has no second factor either. A new password signs the person out everywhere else.
         */
        post: operations["use_link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/invitations/look": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look at an invitation
         * @description Who invites whom to what. Looking changes nothing.
         */
        post: operations["look_at_invitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/invitations/sign-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign up by an invitation
         * @description Answers the token of a link to sign up the address of the invitation, which `use_link` takes once, within 60 minutes. Any earlier link of this address to sign up no longer works.
         */
        post: operations["sign_up_by_invitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the password
         * @description Sets your password, and signs you out everywhere else. This session gets a new token.
         */
        put: operations["change_password"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give the second factor
         * @description With a code of the authenticator app or a recovery code; each works once. The session gets a new token.
         */
        post: operations["give_second_factor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prove that it is you
         * @description With your password, if you have one, and with a code, if you have a second factor. For ten minutes dangerous operations are open then. The session gets a new token.
         */
        post: operations["prove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/factors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what you sign in with
         * @description Your password, authenticator app, recovery codes and passkeys, but no secret.
         */
        get: operations["get_factors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to add an authenticator app
         * @description A new secret for the app. It counts as a factor only once `confirm_totp` has its first code.
         */
        post: operations["begin_totp"];
        /**
         * Remove the authenticator app
         * @description Without another second factor, your recovery codes end too, and workspaces that require two factors are closed to you until you add one. The session gets a new token.
         */
        delete: operations["remove_totp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm the authenticator app
         * @description With a code that the app shows. From then on you are asked for one at each sign-in. The answer has new recovery codes, which replace all earlier ones. The session gets a new token.
         */
        post: operations["confirm_totp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make new recovery codes
         * @description Ten new codes, which replace all earlier ones. Each works once.
         */
        post: operations["renew_recovery_codes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
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
    "/auth/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what happened to your account
         * @description Sign-ins, also refused ones, and changes of your account and of what is yours outside of workspaces, newest first. What happened in a workspace is in the trail of that workspace. Always in pages: 50 entries, unless `limit` says otherwise.
         */
        get: operations["list_own_audit_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your API keys
         * @description Your API keys, latest first, with those that have expired, without revoked ones.
         */
        get: operations["list_keys"];
        put?: never;
        /**
         * Create an API key
         * @description Makes an API key with your permissions, or fewer: for reading alone, or in one workspace alone. The answer shows it, and nothing else ever does. At most 50 at a time.
         */
        post: operations["create_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/keys/{key_id}": {
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
         * Revoke an API key
         * @description The key opens nothing from its next request on.
         */
        delete: operations["revoke_key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/application-request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See what an application asks for
         * @description The application that has sent you here, where it is answered, and what it asks for.
         */
        get: operations["look_at_application_request"];
        put?: never;
        /**
         * Connect an application
         * @description Lets the application that has sent you here act as you through `/mcp`, or only read there. The answer says where to go on, with a code that works once, for a minute.
         */
        post: operations["connect_application"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your connected applications
         * @description The applications that can act as you through `/mcp`, latest first.
         */
        get: operations["list_applications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/applications/{application_id}": {
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
         * Remove a connected application
         * @description The application can do nothing from its next request on. It can ask you again.
         */
        delete: operations["disconnect_application"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/service-accounts/{service_account_id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys of a service account
         * @description Its API keys, latest first, with those that have expired, without revoked ones. The owner and admins of its workspace only.
         */
        get: operations["list_service_account_keys"];
        put?: never;
        /**
         * Create an API key of a service account
         * @description Makes an API key that acts as the service account, in its workspace alone. The answer shows it, and nothing else ever does. At most 20 at a time. Its owner and admins only.
         */
        post: operations["create_service_account_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/service-accounts/{service_account_id}/keys/{key_id}": {
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
         * Revoke an API key of a service account
         * @description The key opens nothing from its next request on. The owner and admins of its workspace only.
         */
        delete: operations["revoke_service_account_key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-in/passkey/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to sign in with a passkey
         * @description What the browser needs to ask for any passkey of this server, within five minutes. The answer of the browser goes to `sign_in_with_passkey`.
         */
        post: operations["begin_sign_in_with_passkey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-in/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a passkey
         * @description Begins a session with the answer to `begin_sign_in_with_passkey`. A passkey is both factors: nothing else is asked for.
         */
        post: operations["sign_in_with_passkey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/second-factor/passkey/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to give a passkey as the second factor
         * @description What the browser needs to ask for one of your passkeys, within five minutes. The answer of the browser goes to `second_factor_passkey`.
         */
        post: operations["begin_second_factor_passkey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/second-factor/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a passkey as the second factor
         * @description With the answer to `begin_second_factor_passkey`. The session gets a new token, and its person counts as proven for 10 minutes.
         */
        post: operations["second_factor_passkey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/proof/passkey/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to prove with a passkey that it is you
         * @description What the browser needs to ask for one of your passkeys, within five minutes. The answer of the browser goes to `proof_passkey`.
         */
        post: operations["begin_proof_passkey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/proof/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prove with a passkey that it is you
         * @description With the answer to `begin_proof_passkey`. The session gets a new token, and its person counts as proven for 10 minutes.
         */
        post: operations["proof_passkey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to add a passkey
         * @description What the browser needs to make a passkey, within five minutes. The answer of the browser goes to `create_passkey`.
         */
        post: operations["begin_passkey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a passkey
         * @description Adds the passkey that the browser has made with the options of `begin_passkey`. From then on you have a second factor. The session gets a new token.
         */
        post: operations["create_passkey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/passkeys/{passkey_id}": {
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
         * Remove a passkey
         * @description The passkey no longer signs you in. If it was your last second factor, workspaces that require one are closed to you until you set up another. The session gets a new token.
         */
        delete: operations["delete_passkey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/providers/{provider}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign in with a provider
         * @description A link, not a request of a program: sends the browser to the provider, which sends it back to `finish_provider`. With `link`, the account there is linked to the person of the session, which needs a proof.
         */
        get: operations["start_provider"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/providers/{provider}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Come back from a provider
         * @description The provider sends the browser here, once. It begins a session, or links the account, and goes on to the page that was asked for.
         */
        get: operations["finish_provider"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List linked accounts
         * @description The accounts elsewhere with which you sign in, latest first.
         */
        get: operations["list_identities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/identities/{identity_id}": {
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
         * Unlink an account
         * @description The account elsewhere no longer signs you in.
         */
        delete: operations["delete_identity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/github/install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Connect an account on GitHub
         * @description A link of a page, not a request of a program: sends the browser to GitHub, to install the App for a workspace, by its owner or an admin, or for personal projects.
         */
        get: operations["install_github"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/github/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Come back from GitHub
         * @description GitHub sends the browser here after the App was installed. Once GitHub has confirmed that the person may see all of the installation, it is connected.
         */
        get: operations["finish_github"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/push": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what a browser needs to be told
         * @description The public key of this server, and whether the browser of this session is told.
         */
        get: operations["get_push"];
        /**
         * Let a browser be told
         * @description Stores the subscription of the browser of this session, which it gets from its push service. It is used while the session lasts.
         */
        put: operations["save_push_subscription"];
        post?: never;
        /**
         * Let a browser be told no more
         * @description Changes nothing if the browser of this session is not told.
         */
        delete: operations["delete_push_subscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/account/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export what is yours
         * @description What this server knows of you, as one JSON file, of one moment: profile, ways to sign in, sessions, API keys, memberships, settings, cards and invoices by their numbers, postings of your own balance, tasks, messages, comments and approvals of yours, and what the audit trail says you did. No password, key or other secret. Every export is recorded. A download that does not end properly is incomplete: ask for it again.
         */
        get: operations["export_account"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/account": {
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
         * Delete your account
         * @description Deletes your account for good: name, address, keys, sessions, cards, settings, memberships, personal projects, and workspaces that nobody else has a part in. What you did in projects of others stays, as that of a former member; so do the ledger, invoices and the audit trail. While something depends on the account it is refused with `blockers`, each with a `code`, a `message` that says what to do, and the id of what it is about. The address may sign up again, as somebody new.
         */
        delete: operations["delete_account"];
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
        SignedIn: {
            /** @description Whether the second factor is still missing. */
            pending: boolean;
            second_factors?: ("totp" | "recovery_code" | "passkey")[];
        };
        Link: {
            /** @enum {unknown} */
            purpose: "sign_up" | "reset" | "sign_in";
            /**
             * @description Whether using it takes a new password: it is optional for someone who has neither a password nor a second factor.
             * @enum {unknown}
             */
            password: "required" | "optional" | "none";
            /**
             * @description Whether the account demands a second factor: `asked` is one that the person gives after this. `unknown` is one that they were imported with and that is not known here: without it no password lets them in, but a link that signs in does.
             * @enum {unknown}
             */
            second_factor: "none" | "asked" | "unknown";
            email: string;
        };
        InvitationLink: {
            /** @enum {unknown} */
            kind: "workspace" | "project";
            /** @description The workspace or project. */
            name: string;
            role_name: string;
            invited_by_name: string;
            /** @description Whom the invitation is for. */
            email: string;
            /** @description Whether this link makes an account: it is that of the mail, and the address has none. */
            sign_up: boolean;
        };
        SignUpToken: {
            token: string;
        };
        Proven: {
            /** Format: date-time */
            proven_until: string;
        };
        Factors: {
            password: boolean;
            totp: boolean;
            recovery_codes_left: number;
            passkeys: {
                /** Format: uuid */
                id: string;
                name: string;
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                last_used_at?: string;
            }[];
        };
        TotpEnrolment: {
            /** @description In base32, to be typed. */
            secret: string;
            /** @description To be scanned as a QR code. */
            url: string;
        };
        RecoveryCodes: {
            recovery_codes: string[];
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
                /** @description Whether they operate this server; left out otherwise. */
                operator?: boolean;
            };
            /**
             * Format: date-time
             * @description Until when dangerous operations need no further proof.
             */
            proven_until?: string;
            /**
             * @description What the person lacks to sign in without a link: any other way, or, if they were imported with a second factor that is not known here, one that is.
             * @enum {unknown}
             */
            missing?: "password" | "second_factor";
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
        AuditEvent: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            occurred_at: string;
            action: string;
            /** @enum {unknown} */
            outcome: "done" | "refused";
            /** @description Why the attempt was refused. */
            code?: string;
            /** Format: uuid */
            actor_user_id?: string;
            actor_name?: string;
            actor_email?: string;
            /** Format: uuid */
            key_id?: string;
            /** Format: uuid */
            session_id?: string;
            target_id: string;
            /** Format: uuid */
            project_id?: string;
            before?: {
                [key: string]: unknown;
            };
            after?: {
                [key: string]: unknown;
            };
            request_id: string;
        };
        ApiKey: {
            /** Format: uuid */
            id: string;
            /** @description What it is for. */
            name: string;
            /** @description Whether it can only read. */
            read_only: boolean;
            /**
             * Format: uuid
             * @description The only workspace that it opens; absent for all.
             */
            organization_id?: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description From then on it opens nothing.
             */
            expires_at?: string;
            /**
             * Format: date-time
             * @description Written every few seconds, so a little late.
             */
            last_used_at?: string;
        };
        NewApiKey: {
            /** Format: uuid */
            id: string;
            /** @description What it is for. */
            name: string;
            /** @description Whether it can only read. */
            read_only: boolean;
            /**
             * Format: uuid
             * @description The only workspace that it opens; absent for all.
             */
            organization_id?: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description From then on it opens nothing.
             */
            expires_at?: string;
            /**
             * Format: date-time
             * @description Written every few seconds, so a little late.
             */
            last_used_at?: string;
            /** @description The key itself. It is shown only this once. */
            key: string;
        };
        ApplicationRequest: {
            /** @description What it calls itself. Nobody has checked it. */
            name: string;
            /** Format: date-time */
            registered_at: string;
            /** @description Where the answer is sent: a host, or a program. */
            place: string;
            /** @description Whether it asks for more than to read. */
            write: boolean;
            /** @description Where it is told that you refuse. */
            refused_to: string;
        };
        ApplicationConnected: {
            return_to: string;
        };
        ConnectedApplication: {
            /**
             * Format: uuid
             * @description That of its key, which the audit trail names.
             */
            id: string;
            /** @description What it calls itself. */
            name: string;
            /** @description Where it was sent its code. */
            redirect_uri: string;
            /** @description Whether it can only read. */
            read_only: boolean;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When it ends, unless it is used before.
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description Written every few seconds, so a little late.
             */
            last_used_at?: string;
        };
        SignedInWithPasskey: {
            pending: boolean;
        };
        Proven_second_factor: {
            /** Format: date-time */
            proven_until: string;
        };
        Proven_proof: {
            /** Format: date-time */
            proven_until: string;
        };
        Passkey: {
            /** Format: uuid */
            id: string;
            /** @description Where it is kept. */
            name: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at?: string;
            /** @description Whether it is kept in more than one device. */
            backed_up: boolean;
        };
        Identity: {
            /** Format: uuid */
            id: string;
            /** @description The id of the provider; it may be gone since. */
            provider: string;
            /** @description The address there, at the last sign-in. */
            email?: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at?: string;
        };
        Push: {
            /** @description With which the browser subscribes, in base64url. Left out before there is one. */
            public_key?: string;
            /** @description Whether the browser of this session is told. */
            subscribed: boolean;
        };
        AccountFile: {
            version: number;
            exported_at: string;
            profile: unknown[];
            audit_events: unknown[];
        } & {
            [key: string]: unknown;
        };
        AccountDeleted: {
            /** Format: uuid */
            id: string;
            /** @enum {unknown} */
            status: "deleted";
            /** Format: date-time */
            deleted_at: string;
            workspaces_left: number;
            workspaces_deleted: number;
            projects_deleted: number;
            /** @description USD */
            balance_given_up: string;
        };
        /** @enum {string} */
        ErrorCode: "account_has_blockers" | "application_unknown" | "authorization_unusable" | "bad_request" | "balance_limit" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "export_busy" | "forbidden" | "headers_too_large" | "https_needed" | "internal_error" | "invalid_api_key" | "invitation_unusable" | "last_way_to_sign_in" | "link_unusable" | "no_passkey" | "no_second_factor" | "not_authenticated" | "not_found" | "not_pending" | "nothing_to_prove_with" | "overloaded" | "passkey_known" | "passkey_refused" | "passkeys_unavailable" | "proof_required" | "rate_limited" | "redirect_unknown" | "request_timeout" | "session_required" | "sign_in_busy" | "too_many_applications" | "too_many_keys" | "too_many_passkeys" | "totp_enabled" | "totp_not_begun" | "two_factor_required" | "unreadable_body" | "wrong_code" | "wrong_credentials" | "wrong_password";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    sign_in: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "password": "vexing-lamp-otter-41"
                 *     }
                 */
                "application/json": {
                    /** Format: email */
                    email: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description The session has begun, or waits for its second factor. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "overloaded" | "rate_limited" | "request_timeout" | "sign_in_busy" | "unreadable_body" | "wrong_credentials";
                    };
                };
            };
        };
    };
    request_link: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com"
                 *     }
                 */
                "application/json": {
                    /** Format: email */
                    email: string;
                };
            };
        };
        responses: {
            /** @description If the address may have a link, it is on its way. */
            202: {
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "overloaded" | "rate_limited" | "request_timeout" | "unreadable_body";
                    };
                };
            };
        };
    };
    look_at_link: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "GlB6w7mQ97RrWZID3Yc_-X4a0CDjtMb50J6DoGH6UeY"
                 *     }
                 */
                "application/json": {
                    token: string;
                };
            };
        };
        responses: {
            /** @description What using it will do. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "link_unusable" | "overloaded" | "rate_limited" | "request_timeout" | "unreadable_body";
                    };
                };
            };
        };
    };
    use_link: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "GlB6w7mQ97RrWZID3Yc_-X4a0CDjtMb50J6DoGH6UeY",
                 *       "password": "vexing-lamp-otter-41"
                 *     }
                 */
                "application/json": {
                    token: string;
                    name?: string;
                    /** @description At least 8 characters, and not easy to guess: zxcvbn must rate it 3 or 4. */
                    password?: string;
                };
            };
        };
        responses: {
            /** @description The session has begun, or waits for its second factor. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "link_unusable" | "overloaded" | "rate_limited" | "request_timeout" | "sign_in_busy" | "unreadable_body";
                    };
                };
            };
        };
    };
    look_at_invitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "invitation_id": "3fa85f64-5717-4562-b3fc-2c963f66afa6",
                 *       "token": "GlB6w7mQ97RrWZID3Yc_-X4a0CDjtMb50J6DoGH6UeY"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The invitation, from the path of its link.
                     */
                    invitation_id: string;
                    /** @description From the link. */
                    token: string;
                    /** @description From the link, if it is that of the mail. */
                    proof?: string;
                };
            };
        };
        responses: {
            /** @description The invitation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationLink"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invitation_unusable" | "overloaded" | "rate_limited" | "request_timeout" | "unreadable_body";
                    };
                };
            };
        };
    };
    sign_up_by_invitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "invitation_id": "3fa85f64-5717-4562-b3fc-2c963f66afa6",
                 *       "proof": "GlB6w7mQ97RrWZID3Yc_-X4a0CDjtMb50J6DoGH6UeY"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The invitation, from the path of its link.
                     */
                    invitation_id: string;
                    /** @description From the link of the mail. */
                    proof: string;
                };
            };
        };
        responses: {
            /** @description The token of the link. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignUpToken"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invitation_unusable" | "overloaded" | "rate_limited" | "request_timeout" | "unreadable_body";
                    };
                };
            };
        };
    };
    change_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "vexing-lamp-otter-41"
                 *     }
                 */
                "application/json": {
                    /** @description At least 8 characters, and not easy to guess: zxcvbn must rate it 3 or 4. */
                    password: string;
                };
            };
        };
        responses: {
            /** @description The password is set. */
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "overloaded" | "proof_required" | "rate_limited" | "request_timeout" | "session_required" | "sign_in_busy" | "unreadable_body";
                    };
                };
            };
        };
    };
    give_second_factor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "492039"
                 *     }
                 */
                "application/json": {
                    /** @description Six digits of the authenticator app, or a recovery code. */
                    code: string;
                };
            };
        };
        responses: {
            /** @description The session is complete. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proven"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "not_pending" | "overloaded" | "rate_limited" | "request_timeout" | "session_required" | "unreadable_body" | "wrong_code";
                    };
                };
            };
        };
    };
    prove: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "vexing-lamp-otter-41"
                 *     }
                 */
                "application/json": {
                    password?: string;
                    /** @description Six digits of the authenticator app, or a recovery code. */
                    code?: string;
                };
            };
        };
        responses: {
            /** @description Proven. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proven"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "nothing_to_prove_with" | "overloaded" | "rate_limited" | "request_timeout" | "session_required" | "sign_in_busy" | "unreadable_body" | "wrong_code" | "wrong_password";
                    };
                };
            };
        };
    };
    get_factors: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The factors. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Factors"];
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
    begin_totp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the app needs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TotpEnrolment"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "overloaded" | "proof_required" | "rate_limited" | "request_timeout" | "session_required" | "totp_enabled";
                    };
                };
            };
        };
    };
    remove_totp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The app is removed. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "not_found" | "overloaded" | "proof_required" | "rate_limited" | "request_timeout" | "session_required";
                    };
                };
            };
        };
    };
    confirm_totp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "492039"
                 *     }
                 */
                "application/json": {
                    /** @description Six digits of the authenticator app, or a recovery code. */
                    code: string;
                };
            };
        };
        responses: {
            /** @description Ten recovery codes, shown only this once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "overloaded" | "proof_required" | "rate_limited" | "request_timeout" | "session_required" | "totp_enabled" | "totp_not_begun" | "unreadable_body" | "wrong_code";
                    };
                };
            };
        };
    };
    renew_recovery_codes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ten recovery codes, shown only this once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "no_second_factor" | "not_authenticated" | "overloaded" | "proof_required" | "rate_limited" | "request_timeout" | "session_required";
                    };
                };
            };
        };
    };
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
    list_own_audit_events: {
        parameters: {
            query?: {
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEvent"][];
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
    list_keys: {
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
                    "application/json": components["schemas"]["ApiKey"][];
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
    create_key: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "CI of the shop",
                 *       "read_only": true
                 *     }
                 */
                "application/json": {
                    /** @description What it is for. */
                    name: string;
                    /**
                     * Format: date-time
                     * @description Without it, the key does not expire.
                     */
                    expires_at?: string;
                    /**
                     * @description Whether it can only read.
                     * @default false
                     */
                    read_only?: boolean;
                    /**
                     * Format: uuid
                     * @description The only workspace that it opens.
                     */
                    organization_id?: string;
                };
            };
        };
        responses: {
            /** @description The new key. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "overloaded" | "proof_required" | "rate_limited" | "request_timeout" | "session_required" | "too_many_keys" | "unreadable_body";
                    };
                };
            };
        };
    };
    revoke_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An API key of the person. */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. */
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
    look_at_application_request: {
        parameters: {
            query: {
                /** @description The request, as the address of the page has it. */
                request: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationRequest"];
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
                        code: "application_unknown" | "authorization_unusable" | "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "https_needed" | "internal_error" | "invalid_api_key" | "not_authenticated" | "overloaded" | "rate_limited" | "redirect_unknown" | "request_timeout" | "session_required";
                    };
                };
            };
        };
    };
    connect_application: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "request": "qY2xpZW50X2lkPQ",
                 *       "read_only": true
                 *     }
                 */
                "application/json": {
                    /** @description The request, as the address of the page has it. */
                    request: string;
                    /** @description Whether it may only read. */
                    read_only: boolean;
                };
            };
        };
        responses: {
            /** @description Where to go on. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationConnected"];
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
                        code: "application_unknown" | "authorization_unusable" | "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "https_needed" | "internal_error" | "invalid_api_key" | "not_authenticated" | "overloaded" | "proof_required" | "rate_limited" | "redirect_unknown" | "request_timeout" | "session_required" | "too_many_applications" | "unreadable_body";
                    };
                };
            };
        };
    };
    list_applications: {
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
                    "application/json": components["schemas"]["ConnectedApplication"][];
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
    disconnect_application: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An application that the person has connected. */
                application_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The application is removed. */
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
    list_service_account_keys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The service account. */
                service_account_id: string;
            };
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
                    "application/json": components["schemas"]["ApiKey"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "session_required" | "two_factor_required";
                    };
                };
            };
        };
    };
    create_service_account_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The service account. */
                service_account_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "CI of the shop",
                 *       "read_only": true
                 *     }
                 */
                "application/json": {
                    /** @description What it is for. */
                    name: string;
                    /**
                     * Format: date-time
                     * @description Without it, the key does not expire.
                     */
                    expires_at?: string;
                    /**
                     * @description Whether it can only read.
                     * @default false
                     */
                    read_only?: boolean;
                };
            };
        };
        responses: {
            /** @description The new key. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "not_found" | "overloaded" | "proof_required" | "rate_limited" | "request_timeout" | "session_required" | "too_many_keys" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    revoke_service_account_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The service account. */
                service_account_id: string;
                /** @description An API key of the person. */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "session_required" | "two_factor_required";
                    };
                };
            };
        };
    };
    begin_sign_in_with_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The options for `navigator.credentials.get`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        rpId: string;
                        challenge: string;
                        timeout: number;
                        allowCredentials: {
                            id: string;
                            /** @constant */
                            type: "public-key";
                            transports: string[];
                        }[];
                        userVerification: string;
                    };
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "overloaded" | "passkeys_unavailable" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    sign_in_with_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "credential": {
                 *         "id": "AQIDBAUGBwgJCgsMDQ4PEA",
                 *         "rawId": "AQIDBAUGBwgJCgsMDQ4PEA",
                 *         "type": "public-key",
                 *         "response": {
                 *           "clientDataJSON": "e30",
                 *           "authenticatorData": "AA",
                 *           "signature": "MEUC",
                 *           "userHandle": "fJ5meXQlQN6US-B_wfkK5w"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    credential: {
                        id: string;
                        rawId: string;
                        /** @enum {string} */
                        type: "public-key";
                        readonly authenticatorAttachment?: unknown;
                        readonly clientExtensionResults?: unknown;
                        response: {
                            clientDataJSON: string;
                            authenticatorData: string;
                            signature: string;
                            userHandle?: string;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Signed in: the cookie of the session is set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInWithPasskey"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "overloaded" | "passkey_refused" | "passkeys_unavailable" | "rate_limited" | "request_timeout" | "unreadable_body";
                    };
                };
            };
        };
    };
    begin_second_factor_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The options for `navigator.credentials.get`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        rpId: string;
                        challenge: string;
                        timeout: number;
                        allowCredentials: {
                            id: string;
                            /** @constant */
                            type: "public-key";
                            transports: string[];
                        }[];
                        userVerification: string;
                    };
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "no_passkey" | "not_authenticated" | "overloaded" | "passkeys_unavailable" | "rate_limited" | "request_timeout" | "session_required";
                    };
                };
            };
        };
    };
    second_factor_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "credential": {
                 *         "id": "AQIDBAUGBwgJCgsMDQ4PEA",
                 *         "rawId": "AQIDBAUGBwgJCgsMDQ4PEA",
                 *         "type": "public-key",
                 *         "response": {
                 *           "clientDataJSON": "e30",
                 *           "authenticatorData": "AA",
                 *           "signature": "MEUC",
                 *           "userHandle": "fJ5meXQlQN6US-B_wfkK5w"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    credential: {
                        id: string;
                        rawId: string;
                        /** @enum {string} */
                        type: "public-key";
                        readonly authenticatorAttachment?: unknown;
                        readonly clientExtensionResults?: unknown;
                        response: {
                            clientDataJSON: string;
                            authenticatorData: string;
                            signature: string;
                            userHandle?: string;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Proven: the cookie of the session is replaced. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proven_second_factor"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "overloaded" | "passkey_refused" | "passkeys_unavailable" | "rate_limited" | "request_timeout" | "session_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    begin_proof_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The options for `navigator.credentials.get`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        rpId: string;
                        challenge: string;
                        timeout: number;
                        allowCredentials: {
                            id: string;
                            /** @constant */
                            type: "public-key";
                            transports: string[];
                        }[];
                        userVerification: string;
                    };
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "no_passkey" | "not_authenticated" | "overloaded" | "passkeys_unavailable" | "rate_limited" | "request_timeout" | "session_required";
                    };
                };
            };
        };
    };
    proof_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "credential": {
                 *         "id": "AQIDBAUGBwgJCgsMDQ4PEA",
                 *         "rawId": "AQIDBAUGBwgJCgsMDQ4PEA",
                 *         "type": "public-key",
                 *         "response": {
                 *           "clientDataJSON": "e30",
                 *           "authenticatorData": "AA",
                 *           "signature": "MEUC",
                 *           "userHandle": "fJ5meXQlQN6US-B_wfkK5w"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    credential: {
                        id: string;
                        rawId: string;
                        /** @enum {string} */
                        type: "public-key";
                        readonly authenticatorAttachment?: unknown;
                        readonly clientExtensionResults?: unknown;
                        response: {
                            clientDataJSON: string;
                            authenticatorData: string;
                            signature: string;
                            userHandle?: string;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Proven: the cookie of the session is replaced. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proven_proof"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "overloaded" | "passkey_refused" | "passkeys_unavailable" | "rate_limited" | "request_timeout" | "session_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    begin_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The options for `navigator.credentials.create`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        rp: {
                            id: string;
                            name: string;
                        };
                        user: {
                            id: string;
                            name: string;
                            displayName: string;
                        };
                        challenge: string;
                        pubKeyCredParams: {
                            /** @constant */
                            type: "public-key";
                            alg: number;
                        }[];
                        timeout: number;
                        excludeCredentials: {
                            id: string;
                            /** @constant */
                            type: "public-key";
                            transports: string[];
                        }[];
                        authenticatorSelection: {
                            residentKey: string;
                            requireResidentKey: boolean;
                            userVerification: string;
                        };
                        attestation: string;
                    };
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "overloaded" | "passkeys_unavailable" | "proof_required" | "rate_limited" | "request_timeout" | "session_required" | "too_many_passkeys";
                    };
                };
            };
        };
    };
    create_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Laptop",
                 *       "credential": {
                 *         "id": "AQIDBAUGBwgJCgsMDQ4PEA",
                 *         "rawId": "AQIDBAUGBwgJCgsMDQ4PEA",
                 *         "type": "public-key",
                 *         "response": {
                 *           "clientDataJSON": "e30",
                 *           "attestationObject": "oA",
                 *           "transports": [
                 *             "internal"
                 *           ]
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Where it is kept. */
                    name: string;
                    credential: {
                        id: string;
                        rawId: string;
                        /** @enum {string} */
                        type: "public-key";
                        readonly authenticatorAttachment?: unknown;
                        readonly clientExtensionResults?: unknown;
                        response: {
                            clientDataJSON: string;
                            attestationObject: string;
                            transports?: string[];
                            readonly authenticatorData?: unknown;
                            readonly publicKey?: unknown;
                            readonly publicKeyAlgorithm?: unknown;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description The new passkey. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "overloaded" | "passkey_known" | "passkeys_unavailable" | "proof_required" | "rate_limited" | "request_timeout" | "session_required" | "too_many_passkeys" | "unreadable_body";
                    };
                };
            };
        };
    };
    delete_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A passkey of the person. */
                passkey_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The passkey is removed. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "last_way_to_sign_in" | "not_authenticated" | "not_found" | "overloaded" | "proof_required" | "rate_limited" | "request_timeout" | "session_required";
                    };
                };
            };
        };
    };
    start_provider: {
        parameters: {
            query?: {
                /** @description The path of the page to show afterwards. */
                return_to?: string;
                /** @description Whether to link an account. */
                link?: boolean;
            };
            header?: never;
            path: {
                /** @description The id of the provider. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
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
    finish_provider: {
        parameters: {
            query?: {
                /** @description As `start_provider` made it. */
                state?: string;
            };
            header?: never;
            path: {
                /** @description The id of the provider. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
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
    list_identities: {
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
                    "application/json": components["schemas"]["Identity"][];
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
    delete_identity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A linked identity of the person. */
                identity_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account is unlinked. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "last_way_to_sign_in" | "not_authenticated" | "not_found" | "overloaded" | "proof_required" | "rate_limited" | "request_timeout" | "session_required";
                    };
                };
            };
        };
    };
    install_github: {
        parameters: {
            query?: {
                /** @description The workspace; the person without it. */
                organization_id?: string;
                /** @description The path of the page to show afterwards. */
                return_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
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
    finish_github: {
        parameters: {
            query?: {
                /** @description As `install_github` made it. */
                state?: string;
                /** @description What was installed. */
                installation_id?: string;
                /** @description What was done. */
                setup_action?: string;
                /** @description For the token of the person. */
                code?: string;
                /** @description Why there is no code. */
                error?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
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
    get_push: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Push"];
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
    save_push_subscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "endpoint": "https://push.example.com/send/dGVzdA",
                 *       "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
                 *       "auth": "BTBZMqHH6r4Tts7J_aSIgg"
                 *     }
                 */
                "application/json": {
                    /** @description Where its push service takes messages. */
                    endpoint: string;
                    /** @description Its public key, in base64url. */
                    p256dh: string;
                    /** @description The secret that it shares with this server, in base64url. */
                    auth: string;
                };
            };
        };
        responses: {
            /** @description The browser is told. */
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout" | "session_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    delete_push_subscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The browser is not told. */
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
    export_account: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountFile"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "export_busy" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout" | "session_required";
                    };
                };
            };
        };
    };
    delete_account: {
        parameters: {
            query?: {
                /** @description Whether what is left of your balance is given up. */
                give_up_balance?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What went with the account. The session has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountDeleted"];
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
                        code: "account_has_blockers" | "bad_request" | "balance_limit" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "overloaded" | "proof_required" | "rate_limited" | "request_timeout" | "session_required";
                    };
                };
            };
        };
    };
}
