// Written by `npm run openapi`: do not edit.

export interface paths {
    "/api/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get your account
         * @description The person behind the API key. A key that is limited to one workspace does not show it.
         */
        get: operations["get_account"];
        /**
         * Update your account
         * @description Changes your name, or removes it with `null`, and whether you get warnings by mail; `{}` changes nothing. Send the `ETag` of the account you have read as `If-Match` to avoid overwriting a later change.
         */
        put: operations["update_account"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the configuration
         * @description ERP versions, models, limits, and what this server can do: the same for every caller. It may be kept for 60 seconds; send its `ETag` as `If-None-Match` to learn whether it has changed.
         */
        get: operations["get_config"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what waits for you
         * @description Plans to approve, questions of agents, failed checks, tasks that lack funds or are at a spend limit, tasks of yours that are ready or failed, invitations to answer and balances that need you, newest first. Archived projects are left out, and so is what you have set aside. A key that is limited to one workspace lists what is in it.
         */
        get: operations["list_inbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set aside what a task has in your inbox
         * @description Leaves the entries of the task up to `seen` out of your inbox, for you alone: until `snoozed_until`, or for good. What happens in the task later is a new entry.
         */
        put: operations["set_aside_task"];
        post?: never;
        /**
         * List a task in your inbox again
         * @description Lists what you have set aside of the task in your inbox again, if it still waits for you. Changes nothing if nothing of it is set aside.
         */
        delete: operations["bring_back_task"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how you are told of tasks
         * @description Whether and when you get mail and messages in your browsers about the tasks that you began or follow.
         */
        get: operations["get_notification_settings"];
        /**
         * Update how you are told of tasks
         * @description Changes what you send, for you alone; `{}` changes nothing.
         */
        put: operations["update_notification_settings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/account/notifications/muted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what you have muted
         * @description The tasks and projects that tell you nothing, the latest first.
         */
        get: operations["list_muted"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/subscription": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get whether you follow a task
         * @description Whoever begins a task or writes in it follows it.
         */
        get: operations["get_task_subscription"];
        /**
         * Follow or mute a task
         * @description Decides whether you are told of what happens in the task, for you alone.
         */
        put: operations["set_task_subscription"];
        post?: never;
        /**
         * Unfollow a task
         * @description Takes back that you follow the task, or have muted it. You are told of it only where you are mentioned, or where nobody who follows it may approve and you may. Writing in it follows it again.
         */
        delete: operations["unfollow_task"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/mute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get whether you have muted a project
         * @description A muted project tells you nothing of its tasks.
         */
        get: operations["get_project_mute"];
        /**
         * Mute a project
         * @description You, and nobody else, are told nothing of its tasks until you unmute it.
         */
        put: operations["mute_project"];
        post?: never;
        /**
         * Unmute a project
         * @description Changes nothing if you have not muted it.
         */
        delete: operations["unmute_project"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your workspaces
         * @description The workspaces that the caller is a member of, sorted by name. One whose two-factor policy the caller does not meet is listed without available actions. A key that is limited to one workspace sees that one only.
         */
        get: operations["list_workspaces"];
        put?: never;
        /**
         * Create a workspace
         * @description Creates a workspace, which the caller owns. With `require_2fa`, members can only act there with two-factor authentication; the caller needs it too. A key that is limited to one workspace cannot create another. Where `get_config` says so, operators only.
         */
        post: operations["create_workspace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a workspace
         * @description The workspace, for its members, with what the caller may do there.
         */
        get: operations["get_workspace"];
        /**
         * Update a workspace
         * @description Changes the name, look and rules of the workspace. Owners and admins only. A field that is omitted keeps its value; `null` removes the colour or the icon; `{}` changes nothing. `require_2fa: true` takes effect at once: members without two-factor authentication stay members but cannot act in the workspace until they enable it. Only the owner may change `admins_manage_admins`. Send the `ETag` of the workspace you have read as `If-Match` to avoid overwriting a later change.
         */
        put: operations["update_workspace"];
        post?: never;
        /**
         * Delete a workspace
         * @description Permanently deletes the workspace. Owner only. Its projects are not deleted; they remain without an owner. A positive balance goes to the personal balance of the member named by `transfer_balance_to_user_id`, or else to the owner's.
         */
        delete: operations["delete_workspace"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/transfer-ownership": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transfer ownership
         * @description Transfers the workspace to another active member. Owner only; the previous owner becomes an admin. `force` overrides the blockers that a 409 `transfer_blocked` lists, and switches auto-reload off when it charges a card of the previous owner.
         */
        post: operations["transfer_ownership"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a workspace
         * @description The workspace as a file to download, which `guildhall import` reads: people, roles, teams, open invitations, projects with their settings and variables, tasks and plans. Owner only; every export is recorded in the audit trail. The file holds no keys, cards, links or balances, and of a secret variable only its name. A download that does not end properly is incomplete: ask for it again.
         */
        get: operations["export_workspace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/instructions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the instructions of a workspace
         * @description The instructions that every agent gets at the beginning of a session in this workspace, before everything else. Members of the workspace may read them.
         */
        get: operations["get_workspace_instructions"];
        /**
         * Set the instructions of a workspace
         * @description Replaces the instructions that every agent gets at the beginning of a session in this workspace; an empty text removes it. Owners and admins only. Send the `ETag` of what you have read as `If-Match` to avoid overwriting a later change.
         */
        put: operations["set_workspace_instructions"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit events
         * @description Every change to the workspace and everything in it, and attempts that were refused, newest first. Owners and admins only. Always in pages: 50 entries, unless `limit` says otherwise.
         */
        get: operations["list_audit_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/audit-events/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export audit events
         * @description The audit trail as a file to download, newest first. Owners and admins only. CSV with a header line (RFC 4180), or one JSON object a line. In CSV, a cell that a spreadsheet would take for a formula begins with an apostrophe. A download that does not end properly is incomplete: ask for it again. In CSV, `before` and `after` are JSON.
         */
        get: operations["export_audit_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pending invitations
         * @description Invitations that were sent but not accepted, declined or revoked, newest first. Owners and admins only. Those past their expiry have the status `expired`; `?status=pending` omits them. The complete list, unless `limit` is given.
         */
        get: operations["list_pending_invitations"];
        put?: never;
        /**
         * Invite a person to a workspace
         * @description Sends an invitation, valid for seven days, to an e-mail address. Owners and admins only; admins may invite admins only if the owner allows it. An open invitation of this address is renewed: it gets the new role, teams and expiry, and its previous link no longer works.
         */
        post: operations["create_invitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/invitations/{invitation_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an invitation again
         * @description Sends the mail again with a new link, valid for another seven days, also when the invitation has expired. The previous link no longer works. Owners and admins only; admins may resend an invitation of an admin only if the owner allows them to manage admins.
         */
        post: operations["resend_invitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/invitations/{invitation_id}": {
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
         * Revoke an invitation
         * @description Revokes an invitation that was not accepted or declined yet. Owners and admins only. Its link no longer works.
         */
        delete: operations["revoke_invitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the invitations that you have received
         * @description Invitations to the caller's e-mail address, to workspaces and to projects, that can still be accepted, newest first. Workspace or project is shown according to `kind`. Pages of 50, unless `limit` says otherwise.
         */
        get: operations["list_my_invitations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/{invitation_id}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * @description Joins the workspace or the project with the offered role, and the teams that the invitation names and that still exist. Only for the person whose e-mail address was invited. A person who already belongs there keeps their role. `token` is the one in the link of the mail, if that was followed; the body may be omitted.
         */
        post: operations["accept_invitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invitations/{invitation_id}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decline an invitation
         * @description Declines an invitation, which is then no longer listed. Only for the person whose e-mail address was invited.
         */
        post: operations["decline_invitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the invitations to a project
         * @description Invitations to the project that were not accepted, declined or revoked yet, newest first. Owners and admins of the project only. Those past their expiry have the status `expired`; `?status=pending` omits them. The complete list, unless `limit` is given.
         */
        get: operations["list_project_invitations"];
        put?: never;
        /**
         * Invite a person to a project
         * @description Sends an invitation, valid for seven days, to an e-mail address; whoever accepts becomes an outside collaborator. Owners and admins of the project only. Members of its workspace need no invitation. An open invitation of this address is renewed: it gets the new role and expiry, and its previous link no longer works.
         */
        post: operations["create_project_invitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/invitations/{invitation_id}": {
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
         * Revoke an invitation to a project
         * @description Revokes an invitation that was not accepted or declined yet. Owners and admins of the project only. Its link no longer works.
         */
        delete: operations["revoke_project_invitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List members
         * @description The members of the workspace with their roles and teams. Every member may see them. People who were deactivated, or lack the second factor that the workspace requires, are listed too. The complete list, unless `limit` is given.
         */
        get: operations["list_members"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Update a member
         * @description Gives a member another role: send `role` or `role_id`; `{}` changes nothing. Owners and admins only. If the owner does not let admins manage admins (`admins_manage_admins`), an admin can only change their own role and those of members and viewers. Send the `ETag` of an earlier answer as `If-Match` to avoid overwriting a later change.
         */
        put: operations["update_member"];
        post?: never;
        /**
         * Remove a member
         * @description Removes a member from the workspace, its teams and its projects, at once. Owners and admins only; if the owner does not let admins manage admins (`admins_manage_admins`), only the owner removes admins. Running tasks of the person go on, paid by the workspace. If auto-reload charges the person's card, it is switched off.
         */
        delete: operations["remove_member"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave a workspace
         * @description Ends the membership of the caller in the workspace, its teams and its projects, at once. Every member may leave but the owner. If auto-reload of the workspace charges the caller's card, it is switched off.
         */
        post: operations["leave_workspace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List roles
         * @description The built-in roles of workspaces and of projects, then the custom roles of this workspace by name. Every member may see them.
         */
        get: operations["list_roles"];
        put?: never;
        /**
         * Create a role
         * @description Creates a role that acts as a built-in one under its own name and colour: for members of the workspace, or with `"scope": "project"` for people on its projects. A workspace has at most 50. Owners and admins only.
         */
        post: operations["create_role"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/roles/{role_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a role
         * @description A built-in role, or a custom role of the workspace, for every member.
         */
        get: operations["get_role"];
        /**
         * Update a role
         * @description Changes the name, the colour or the permissions of a custom role, at once for everybody who has it. A field that is omitted keeps its value; `{}` changes nothing. Owners and admins only. Where admins may not make and unmake admins, only the owner may let a role that is assigned begin or cease to act as admin.
         */
        put: operations["update_role"];
        post?: never;
        /**
         * Delete a role
         * @description Deletes a custom role. Owners and admins only. A role that is assigned, or that an open invitation offers, is only deleted with `replace_with`, which gives those people another role of the same scope. Where admins may not make and unmake admins, only the owner replaces a role that acts as admin by one that does not, or the other way round.
         */
        delete: operations["delete_role"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List teams
         * @description The teams of the workspace, sorted by name. Every member may see them.
         */
        get: operations["list_teams"];
        put?: never;
        /**
         * Create a team
         * @description Creates a team. Owners and admins only. Permissions that are omitted are not granted.
         */
        post: operations["create_team"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/teams/{team_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a team
         * @description The team, for every member of its workspace.
         */
        get: operations["get_team"];
        /**
         * Update a team
         * @description Renames a team or changes what it is allowed to do. Owners and admins only. A field that is omitted keeps its value; `{}` changes nothing. Send the `ETag` of the team you have read as `If-Match` to avoid overwriting a later change.
         */
        put: operations["update_team"];
        post?: never;
        /**
         * Delete a team
         * @description Deletes the team. Owners and admins only. Its members stay in the workspace but lose what the team allowed them to do.
         */
        delete: operations["delete_team"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/teams/{team_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of a team
         * @description The people in the team. Every member of the workspace may see them; `list_members` with `team_id` also shows their roles. The complete list, unless `limit` is given.
         */
        get: operations["list_team_members"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/teams/{team_id}/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Add a member to a team
         * @description Puts a member of the workspace into the team. Owners and admins only. Nothing changes if they are in it already.
         */
        put: operations["add_team_member"];
        post?: never;
        /**
         * Remove a member from a team
         * @description Takes a member of the workspace out of the team; they stay in the workspace. Owners and admins only. Nothing changes if they are not in it.
         */
        delete: operations["remove_team_member"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/teams/{team_id}/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the projects of a team
         * @description The projects of the team, archived ones too. Every member of the workspace may see them. The complete list, unless `limit` is given.
         */
        get: operations["list_team_projects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/teams/{team_id}/projects/{project_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Add a project to a team
         * @description Adds a project of the workspace to those of the team. Owners and admins only. Nothing changes if it is one already.
         */
        put: operations["add_team_project"];
        post?: never;
        /**
         * Remove a project from a team
         * @description Takes a project of the workspace away from the team; the project itself stays as it is. Owners and admins only. Nothing changes if it is not one of the team.
         */
        delete: operations["remove_team_project"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/service-accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List service accounts
         * @description The service accounts of the workspace. People who are its owner or admins only.
         */
        get: operations["list_service_accounts"];
        put?: never;
        /**
         * Create a service account
         * @description Makes a member of the workspace for programs and routines. Nobody signs in as it, and no mail is sent to it; it acts with its keys, which people make in the dashboard, and opens this workspace alone. Its role, teams and projects are changed like those of other members; it is never the owner. People who are owner or admins only; admins may make one an admin only if the owner allows it. At most 50.
         */
        post: operations["create_service_account"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/service-accounts/{service_account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Update a service account
         * @description Gives the service account another name; `{}` changes nothing. Its role is changed with `update_member`. People who are owner or admins of its workspace only.
         */
        put: operations["update_service_account"];
        post?: never;
        /**
         * Delete a service account
         * @description Ends the service account with its keys, roles and teams, at once and for good; `remove_member` does the same. What it has done keeps its name, and its routines are paused when they would begin. People who are owner or admins of its workspace only; if the owner does not let admins manage admins, only the owner deletes one that is an admin.
         */
        delete: operations["delete_service_account"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your projects
         * @description The projects that the caller can open, sorted by name: those of their workspaces, their personal ones, and those they collaborate on. Archived ones are listed only with `archived=true`. A workspace whose two-factor policy the caller does not meet contributes none, and a key that is limited to one workspace lists only the projects of that one. A filter narrows the list: a workspace that the caller cannot see leaves it empty.
         */
        get: operations["list_projects"];
        put?: never;
        /**
         * Create a project
         * @description Creates a project of the workspace `organization_id`, for its owner, its admins and the members of a team with `can_create_projects`; without `organization_id`, a personal project of the caller. Without `erp_version` and `erp_edition` it is pinned to the first supported version that `get_config` lists, which matters once it works with an ERP. Teams with `add_to_new_projects` join it. Whoever creates it may administer it: a member who is not an admin of the workspace gets the role of a project admin on it. Where `get_config` says so, there are no personal projects, or only operators create any.
         */
        post: operations["create_project"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a project
         * @description The project, for everyone who can open it: the members of its workspace or its owner, and its outside collaborators. `role` is what the caller acts as there.
         */
        get: operations["get_project"];
        /**
         * Update a project
         * @description Changes the project. Admins of the project, and the owner and admins of its workspace only. A field that is omitted keeps its value; `null` removes the default model or the spend cap; `{}` changes nothing. `archived: true` hides the project from lists and takes no new tasks; it can still be changed, and `archived: false` brings it back. Send the `ETag` of the project you have read as `If-Match` to avoid overwriting a later change.
         */
        put: operations["update_project"];
        post?: never;
        /**
         * Delete a project
         * @description Permanently deletes the project with its tasks, plans, invitations and the roles of people on it. Owners and admins only. Usage that was recorded is charged, and money held for its tasks is released.
         */
        delete: operations["delete_project"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transfer a project
         * @description Gives the project to the workspace `organization_id`, or without it to the caller. Only the owner of its workspace, or of the personal project, who may also create projects in the other place. Roles that members of its workspace had on it end, and its teams leave it; outside collaborators stay, with a built-in role in place of a custom one. Teams of the other workspace are not added. Money held for running tasks stays with the previous owner.
         */
        post: operations["transfer_project"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim a project without an owner
         * @description Gives a project whose workspace was deleted to the workspace `organization_id`, or without it to the caller. Only an outside collaborator with the role `admin` on it, who may also create projects there. The roles of other people on it stay.
         */
        post: operations["claim_project"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a project's people
         * @description Everyone who can open the project: every member of its workspace plus outside collaborators, each with the role they act with here and where it comes from. Owners and admins also see the people whose grant cannot be used now (`is_active: false`, with a `hidden_reason`). The complete list, unless `limit` is given.
         */
        get: operations["list_project_people"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/people/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set a person's role on a project
         * @description Sets the role of a person on this project; send `role` or `role_id`. For a member of the workspace it overrides the workspace role, but it never lowers the owner and admins of the workspace. No one is added this way: invite people who cannot open the project yet. Owners and admins only.
         */
        put: operations["set_person_role"];
        post?: never;
        /**
         * Remove a person from a project
         * @description Takes back the role that was set for the person on this project. An outside collaborator can no longer open it; a member of the workspace acts with the workspace role again. Owners and admins may remove everybody, and everybody may remove themselves.
         */
        delete: operations["remove_person"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/repositories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List repositories
         * @description The repositories that the project uses, in the order in which they were attached. Its tasks work in `main`. Everyone who can open the project may see them.
         */
        get: operations["list_repositories"];
        put?: never;
        /**
         * Attach a repository
         * @description Adds a repository to the project, which has at most 20: of this server, or of an account on GitHub that is connected to the workspace, or to the person of a personal project (`list_github_repositories`), or of a Gitea or Forgejo server that the workspace has connected. One of this server that was detached comes back with its code. Tasks work in the first one on another host, or in `main` without any; once a task has built something, that stays. The others are for people, and for tasks where they are submodules of it. Admins of the project, and the owner and admins of its workspace only.
         */
        post: operations["attach_repository"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/repositories/{repository_id}/branches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List branches
         * @description The branches of the repository in pages, sorted by the bytes of their names; of one on another host in its order. A repository that nothing was built in or pushed to yet has none. Everyone who can open the project may see them.
         */
        get: operations["list_branches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/repositories/{repository_id}": {
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
         * Detach a repository
         * @description Takes the repository out of the project. Its code is not deleted: attaching it again under the same name brings it back. The repository `main` cannot be detached, because tasks of the project work in it, nor can one that has a pull request, so that what was merged stays known. Admins of the project, and the owner and admins of its workspace only.
         */
        delete: operations["detach_repository"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/merge-targets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the merge targets
         * @description The branches that tasks of the project may be merged into, sorted by name, each with the right that it takes. A new project has `main`, as production. Everyone who can open the project may see them.
         */
        get: operations["get_merge_targets"];
        /**
         * Set the merge targets
         * @description Replaces the whole list, at most 20: a branch that is left out is no target any more. Branches need not exist yet. Merging into `staging` takes `can_merge_staging` of a team, into `production` `can_merge_production`. Admins of the project, and the owner and admins of its workspace only. Send the `ETag` of the list you have read as `If-Match` to avoid overwriting a later change.
         */
        put: operations["set_merge_targets"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/network": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the network of a project
         * @description The hosts that the processes of the project may reach, by what they reach them for. Each is a name, or `*.` and a name for all names below it, with a port, or for the ports 443 and 80. A new project lists none: it reaches what the operator gives. Everyone who can open the project may see them.
         */
        get: operations["get_network"];
        /**
         * Set the network of a project
         * @description Replaces the lists that are sent, each at most 100 hosts; one that is omitted stays as it is. What begins after that reaches the hosts of its list; what runs keeps those it has. Whatever is listed, no address is reached that is not public, unless the operator has opened it. Admins of the project, and the owner and admins of its workspace only. Send the `ETag` of the lists you have read as `If-Match` to avoid overwriting a later change.
         */
        put: operations["set_network"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/environment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the environment
         * @description The image of pods and the setup that runs in them, as the settings of the project have them. A field that is left out is what `environment` of `.guildhall.yml` in the commit says. Everyone who can open the project may see it.
         */
        get: operations["get_environment"];
        /**
         * Set the environment
         * @description Replaces the settings: a field that is given is used whatever `environment` of `.guildhall.yml` says, and one that is left out is what the commit says. They are used in pods that are made from now on. Admins of the project, and the owner and admins of its workspace only. Send the `ETag` of the environment you have read as `If-Match` to avoid overwriting a later change.
         */
        put: operations["set_environment"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/instructions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the instructions of a project
         * @description The instructions that every agent gets at the beginning of a session in this project, before everything else. Everyone who can open the project may read them.
         */
        get: operations["get_project_instructions"];
        /**
         * Set the instructions of a project
         * @description Replaces the instructions that every agent gets at the beginning of a session in this project; an empty text removes it. Admins of the project, and the owner and admins of its workspace only. Send the `ETag` of what you have read as `If-Match` to avoid overwriting a later change.
         */
        put: operations["set_project_instructions"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/variables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the variables of a project
         * @description By name, and of one name first the variable without a stage. The value of a secret is never shown. Admins of the project, and the owner and admins of its workspace only.
         */
        get: operations["list_variables"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/variables/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set a variable of a project
         * @description Makes the variable, or replaces the one of this name and stage as a whole. It is in the environment of the processes that it is for, from the next one on. A secret is stored encrypted, never shown again, and hidden in logs and events. A turn that plans gets no secret. Checks run code that nobody has approved yet, and agents work on what people ask for: only a value for deploys alone stays with commits that were merged. At most 100 variables, of 256 KiB in all. Admins of the project, and the owner and admins of its workspace only.
         */
        put: operations["set_variable"];
        post?: never;
        /**
         * Remove a variable of a project
         * @description Removes the variable of this name for this stage, or the one without a stage. What runs already keeps it. A secret still works where it was made for: withdraw it there, too. Admins of the project, and the owner and admins of its workspace only.
         */
        delete: operations["delete_variable"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/mcp-servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the MCP servers of a project
         * @description The servers of the Model Context Protocol that agents of the project are given. Values of headers and variables are shown as they were written, with `${NAME}` for what stays hidden. Admins of the project, and the owner and admins of its workspace only.
         */
        get: operations["list_mcp_servers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/mcp-servers/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set an MCP server of a project
         * @description Makes the server, or replaces the one of this name as a whole. Agents get it from the next turn on: one at a `url` through the proxy of the project, if its host is on the list for agents (`host_allowed`), or a `command` of the image, which runs beside the agent. `${NAME}` in the value of a header or a variable stands for what the project has set for agents. A turn that plans gets no secret, and so no server that needs one. What agents can do there, nobody approves beforehand. At most 20 servers. Admins of the project, and the owner and admins of its workspace only.
         */
        put: operations["set_mcp_server"];
        post?: never;
        /**
         * Remove an MCP server of a project
         * @description The next turn does not get it any more; one that runs keeps it. Admins of the project, and the owner and admins of its workspace only.
         */
        delete: operations["delete_mcp_server"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/repositories/{repository_id}/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the import of a repository
         * @description The last import into the repository, without its credential, and whether the repository takes one. Read it every second or two while it is `queued` or `running`. Everyone who can open the project may see it.
         */
        get: operations["get_repository_import"];
        put?: never;
        /**
         * Import a repository
         * @description Copies all branches and tags of a repository elsewhere into this one, which must be of this server and hold nothing but its first commit, which is gone afterwards. A worker does it; `get_repository_import` shows how far it is. The default branch becomes that of the source. A failure leaves the repository as it was. User name and password are forgotten when the import has ended. Admins of the project, and the owner and admins of its workspace only.
         */
        post: operations["import_repository"];
        /**
         * Cancel the import of a repository
         * @description Ends the import, which is `failed` then, and forgets its user name and password. Nothing of it is kept, and the repository stays as it was. Once everything was received and checked (`placing`), it is too late. Admins of the project, and the owner and admins of its workspace only.
         */
        delete: operations["cancel_repository_import"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tasks
         * @description The tasks of the project, newest first, for everyone who can open it. Archived ones are listed only with `archived=true`. Always in pages: 50 entries, unless `limit` says otherwise.
         */
        get: operations["list_tasks"];
        put?: never;
        /**
         * Create a task
         * @description Creates a task from its first message. The agent then plans: it reads and writes a plan, and changes nothing until the plan is approved. Members of the project may create tasks; viewers may not. Without a title, the first line of the message becomes it. With `base`, the task begins with another branch than the default one of the repository that the tasks of the project work in, and its pull request is to be merged into that branch: to merge it takes a merge target of that name.
         */
        post: operations["create_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search tasks
         * @description Tasks of all projects that the caller can open, also archived ones, that have all words of `q` in their title or in one message of their conversation, without regard to case; the last word may be the beginning of one. A title is also found by a part of three characters or more. Those with the words in their title come first, and then those that changed last. Words that more than 10000 titles or messages of the server have are looked for in the last 20 messages of the 200 newest tasks alone. Of a message, the first 100,000 characters are searched, and the first 10,000 for such words. Always in pages: 50 entries, unless `limit` says otherwise.
         */
        get: operations["search_tasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your tasks
         * @description The tasks of all projects that the caller can open, newest first. Archived projects are left out, and archived tasks are listed only with `archived=true`. A workspace whose two-factor policy the caller does not meet contributes none, and a key that is limited to one workspace lists only what is in it. A filter narrows the list: a project that the caller cannot open leaves it empty. Always in pages: 50 entries, unless `limit` says otherwise.
         */
        get: operations["list_my_tasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a task
         * @description The task, for everyone who can open its project. To follow it, read it and then stream its events after `as_of_seq`: no change of the task is missed between the two. One that the answer shows already may come once more.
         */
        get: operations["get_task"];
        /**
         * Update a task
         * @description Changes the task. Members of the project may. A field that is omitted keeps its value; `null` removes the spend cap, or the model, so that it is that of the project; `{}` changes nothing. Another model is used from the next turn on. `archived: true` leaves the task out of lists and changes nothing else. Send the `ETag` of the task you have read as `If-Match` to avoid overwriting a later change. It changes with these fields and with the status, and not with the plan, the pod or what the task has cost.
         */
        put: operations["update_task"];
        post?: never;
        /**
         * Delete a task
         * @description Permanently deletes the task with its messages, plans and files. Admins of the project may, and whoever created it, as long as they are a member of the project. An agent that is at work is stopped. Usage that was recorded is charged, and money held for it is released. Its branch is removed within an hour; one on GitHub stays: delete it there.
         */
        delete: operations["delete_task"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the people of a task
         * @description Everyone who has had a part in the task, also those who have left the project since: who created it, wrote a message, a comment or a version of the plan, approved one, answered the agent, opened the pull request or merged it. It gives names to the ids in answers and events of the task. Everyone who can open the project may list them. The complete list, unless `limit` is given.
         */
        get: operations["list_task_people"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a task
         * @description Stops the agent, and cancels the messages that wait for it and the start of an approved plan. Members of the project may. While the agent ends, the answer is 202 and the status stays; the task is `cancelled` when it has. `resume_task` makes it go on.
         */
        post: operations["cancel_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a task
         * @description Makes a task go on that is paused, failed or cancelled: what it did last is queued again. Members of the project may. A task that was paused for a reason that still holds is paused again.
         */
        post: operations["resume_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the code changes of a task
         * @description The code of the task's branch against the commit that it began with: the changed files with their counts of lines, or with `format=patch` a patch that `git apply` takes, as a download. Without changes of binary files, which a patch only names. Empty before the first commit of the task. After the merge, it is what was merged, unless the branch has further changes. With `commit`, what this commit of the task changed. With `format=file`, the bytes of one file, of at most 8 MiB, as a download of the type that they have. Everyone who can open the project may have it.
         */
        get: operations["get_task_diff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/diff-comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List comments on the code of a task
         * @description The comments on all commits of the task, oldest first, for everyone who can open the project. Each says where its line is in the newest commit.
         */
        get: operations["list_diff_comments"];
        put?: never;
        /**
         * Comment on the code of a task
         * @description Comments on a line, or on several, of the difference that `get_task_diff` shows. `send_diff_comments` sends it to the agent. In later commits the line is found by what it says. A line that the difference of its commit does not have is refused where this server has the code.
         */
        post: operations["create_diff_comment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/diff-comments/{comment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Update a comment on the code of a task
         * @description Changes the text, or resolves the comment. For its author, and for those who administer the project. A field that is omitted keeps its value; `{}` changes nothing. One whose text changes, or that is opened again, can be sent to the agent again.
         */
        put: operations["update_diff_comment"];
        post?: never;
        /**
         * Delete a comment on the code of a task
         * @description Deletes the comment. For its author, and for those who administer the project.
         */
        delete: operations["delete_diff_comment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/diff-comments/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the comments on the code
         * @description Sends the agent one message of the caller with all open comments on the code, of everybody, that were not sent yet, and queues its turn, as `create_message` does. Members of the project may. A message takes 100,000 characters: of more comments, the oldest are sent, each whole, and the others stay for the next message.
         */
        post: operations["send_diff_comments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/pod": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the pod of a task
         * @description Where the agent of the task works: a work tree, a home folder and its processes. A task without one has a pod that is `absent`. Everyone who can open the project may see it.
         */
        get: operations["get_pod"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/pod/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start the pod of a task
         * @description Asks for the pod to be made, if there is none, and started, so that the next turn need not wait for that. A worker does it, and `get_pod` shows when it is done. Nothing changes while the agent is at work in it. Turns start the pod by themselves. Where the time of pods has a price, there must be a balance, and no spend limit of the month may be reached. Members of the project may.
         */
        post: operations["start_pod"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/pod/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop the pod of a task
         * @description Asks for everything that runs in the pod to be ended; its files are kept, and the next turn starts it again. A worker does it, and `get_pod` shows when it is done. A turn is never interrupted by this: while the agent is at work the answer is 409 `pod_in_use`, and `cancel_task` ends the turn. Members of the project may.
         */
        post: operations["stop_pod"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/pod/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the log of a pod
         * @description The last 64 KiB that agents have written to standard error in the newest pod of the task, as text, stored every few seconds while they run. `***` stands for the secrets that the agent was given, also where they are encoded, and for what has the form of a key of a well-known service. Empty without a pod. Everyone who can open the project may read it.
         */
        get: operations["get_pod_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/turns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a task's turns with their cost
         * @description The turns of the agent, the newest first, with what each has cost: all of them for whoever created the task and for owners and admins, and for others those that they asked for. Always in pages: 50 entries, unless `limit` says otherwise.
         */
        get: operations["list_task_turns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List messages
         * @description The conversation of the task, from its first message on, for everyone who can open its project. Always in pages: 50 entries, unless `limit` says otherwise.
         */
        get: operations["list_messages"];
        put?: never;
        /**
         * Send a message
         * @description Sends a message to the agent. Members of the project may. While the agent works, messages wait, and it reads them one after the other. Unless the current version of the plan is approved, the agent answers with a plan, and changes nothing; afterwards it does what the message asks for. A task that is ready, failed or cancelled goes on; one that is paused keeps the message until it does.
         */
        post: operations["create_message"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/messages/{number}": {
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
         * Delete a queued message
         * @description Takes back a message that the agent has not read. Its author may, as long as they are a member of the project, and admins of the project. Its attachments stay with the task, and can be sent with another message.
         */
        delete: operations["delete_message"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/pull-request/fix-checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the agent to fix failed checks
         * @description Sends the agent a message of the caller with the failed checks of the last commit and the last lines of their logs, and queues its turn, as `create_message` does. Members of the project may, once all checks have ended. It is sent once for each commit: asking again answers that message. After 3 in a row, a person has to write a message of their own or push to the branch first.
         */
        post: operations["fix_checks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/plan/estimate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Estimate what building the plan costs
         * @description What build turns that ended well with the same model have cost in this project, and otherwise in the same workspace, with the balance and the cap to compare it with. It is no promise: a cap is what bounds a task. For those who may see the balance that pays.
         */
        get: operations["get_plan_estimate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List requests of the agent
         * @description The questions and requests for permission of the agent, oldest first, for everyone who can open the project. Always in pages: 50 entries, unless `limit` says otherwise.
         */
        get: operations["list_requests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/requests/{request_id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a request of the agent
         * @description Answers a question of the agent, or its request for permission, so that it goes on. Members of the project may. A request with options is answered by the id of one, any other by a text. The first answer counts.
         */
        post: operations["answer_request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read or stream the events of a task
         * @description What the agent of the task did and what happened to its pull request, in order: a page of it, or with `Accept: text/event-stream` a stream (server-sent events), which first sends what follows `after` or `Last-Event-ID`, and then every event when it happens. Each has its number as `id`, its type as `event` and the object of a page as `data`.
         *
         *     A stream ends after an hour at the latest: reconnect with the `id` of the last event as `Last-Event-ID`, and no event is missing or repeated. Events are deleted a week after the last turn of the task, or after its creation if it had none; if you ask for deleted ones, the stream begins with an event `reset` that names the first one there is, and a page begins there. Whether you may read the task is checked again within about a second after your session, key, membership or role was ended, and every 30 seconds, when a session or key that has expired is found. Everyone who can open the project may call it.
         */
        get: operations["list_task_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream which tasks change
         * @description With `Accept: text/event-stream` a stream (server-sent events) of the tasks that change, in all projects that the caller can open or in one, so that lists of tasks need not be read again and again. An event `changed` names a task that was created or deleted, or whose title, status, model, limit, archive, cost, plan or pull request has changed; read it, or your lists, to see how. Several changes of a task within a second are one event. Each event comes within about a second, and may come twice.
         *
         *     An event `reset` says: read your lists again, now. A stream begins with one, unless it continues after an event; it comes again when other projects can be opened than before, a project was archived or moved, or the reader was too slow.
         *
         *     A stream ends after an hour at the latest: reconnect with the `id` of the last event as `Last-Event-ID`, and no change is missing: what is no longer known after 55 minutes, or is more than 300 tasks, is a `reset`. Which projects you may open is looked up within about a second after your session, key, membership or role was ended, and every 30 seconds, when a session or key that has expired is found.
         *
         *     Without that header, the answer is a list of what follows `after`, and empty without it. Its header `Last-Event-ID` is where it ends: the `after` of the next request. So a caller without a stream asks once, reads their lists, and asks again and again from there; after a 409 `changes_not_kept` they begin anew. Everyone may call it; a project that is named must be one that the caller can open.
         */
        get: operations["list_task_changes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a task plan
         * @description The plan in its current version, for everyone who can open the project. `approved_version` is the newest version that was approved; the agent builds that one, also after a newer version was written. The `ETag` is the version.
         */
        get: operations["get_plan"];
        /**
         * Revise a task plan
         * @description Writes a new version of the plan, whose author is the caller. It has to be approved, also where plans of the agent are approved automatically. What is being built goes on with the version that was approved. `If-Match` is required; the same text, and `{}`, change nothing.
         */
        put: operations["revise_plan"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/plan/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve a task plan
         * @description Marks the current plan version as approved and releases the agent to start on it. Approving the same version again changes nothing. Send `If-Match: "<version>"` to approve only the version you have read.
         */
        post: operations["approve_plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/plan/request-changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request changes of a plan
         * @description Queues a turn in which the agent writes the next version of the plan with this feedback, which also becomes a message of the conversation. Repeating it before the turn has ended queues nothing more. Send `If-Match: "<version>"` to ask only for changes of the version you have read.
         */
        post: operations["request_plan_changes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/plan/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject a task plan
         * @description Cancels the task because of its plan, which must not have been approved. The reason becomes a message of the conversation. Send `If-Match: "<version>"` to reject only the version you have read.
         */
        post: operations["reject_plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/plan/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a plan
         * @description Every version of the plan without its text, newest first. A task without a plan has none.
         */
        get: operations["list_plan_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/plan/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a version of a plan
         * @description One version of the plan with its text, for everyone who can open the project.
         */
        get: operations["get_plan_version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/plan/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two versions of a plan
         * @description What changed from version `from` to version `to`, as text and as data: applying either to the text of `from` gives the text of `to`. Texts that differ in very many lines are shown as one replacement.
         */
        get: operations["get_plan_diff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/plan/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List comments on a plan
         * @description The comments on all versions of the plan, oldest first, for everyone who can open the project. Each says where its lines are in the current version.
         */
        get: operations["list_plan_comments"];
        put?: never;
        /**
         * Comment on a plan
         * @description Comments on lines of a version, which need not be the current one. When a newer version is written, the comment moves with its lines, or is outdated once they have changed.
         */
        post: operations["create_plan_comment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/plan/comments/{comment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Update a comment on a plan
         * @description Changes the text, or resolves the comment. For its author, and for those who administer the project. A field that is omitted keeps its value; `{}` changes nothing.
         */
        put: operations["update_plan_comment"];
        post?: never;
        /**
         * Delete a comment on a plan
         * @description Deletes the comment. For its author, and for those who administer the project.
         */
        delete: operations["delete_plan_comment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/routines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List routines
         * @description The routines of the project. Everyone who can open it may see them.
         */
        get: operations["list_routines"];
        put?: never;
        /**
         * Add a routine
         * @description From now on the routine begins a task with its message at each of its times, calls, labels or mentions, as `create_task` does, on behalf of you or of a service account, who must be allowed to at that time. The token of one that is called is shown in this answer and never again. At most 50. Admins of the project, and the owner and admins of its workspace only.
         */
        post: operations["create_routine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/routines/{routine_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Update a routine
         * @description A field that is omitted keeps its value, and null clears one; `{}` changes nothing. `enabled` pauses and resumes it; what it has missed meanwhile is not made up for. One that acts for another person only lets itself be renamed, limited, paused and resumed, unless `on_behalf_of_user_id` makes it act for you or a service account. Send the `ETag` of the routine you have read as `If-Match` to avoid overwriting a later change. Admins of the project, and the owner and admins of its workspace only.
         */
        put: operations["update_routine"];
        post?: never;
        /**
         * Delete a routine
         * @description Deletes the routine with the list of its runs; the tasks that it has begun stay. Admins of the project, and the owner and admins of its workspace only.
         */
        delete: operations["delete_routine"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/routines/{routine_id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a routine now
         * @description Begins a task with the message of the routine within seconds, also while it is paused; the fields of calls and issues are empty. Its limits hold. Admins of the project, and the owner and admins of its workspace only.
         */
        post: operations["run_routine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/routines/{routine_id}/rotate-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the token of a routine
         * @description The new token is shown in this answer and never again; the one before calls nothing any more. Only for a routine that acts for you, or for a service account that you manage.
         */
        post: operations["rotate_routine_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/routines/{routine_id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the runs of a routine
         * @description What the routine was asked to do and what came of it: the last 500, for 90 days. Everyone who can open the project may see them. The complete list, unless `limit` is given.
         */
        get: operations["list_routine_runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/github/installations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your installations of the GitHub App
         * @description The accounts on GitHub whose repositories your personal projects may use, sorted by login. Those of a workspace are in `list_github_installations`.
         */
        get: operations["list_own_github_installations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/github/installations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List installations of the GitHub App
         * @description The accounts on GitHub whose repositories the projects of the workspace may use, sorted by login. Members only. Owners and admins connect them in the dashboard.
         */
        get: operations["list_github_installations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/github/installations/{installation_id}/repositories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List repositories on GitHub
         * @description The repositories that the GitHub App may use in an account, in the order of GitHub and in pages. A page may have fewer entries than its limit although another one follows. For the person whose installation it is, and for members of a workspace that it is connected to.
         */
        get: operations["list_github_repositories"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/github/repositories/{github_repository_id}/branches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List branches on GitHub
         * @description The branches of a repository that `list_github_repositories` lists, in the order of GitHub and in pages. A page may have fewer entries than its limit although another one follows. For the branches of a repository that a project uses there is `list_branches`.
         */
        get: operations["list_github_branches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/gitea/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List connections to Gitea and Forgejo
         * @description The servers whose repositories the projects of the workspace may attach, without their tokens. Members only.
         */
        get: operations["list_gitea_connections"];
        put?: never;
        /**
         * Connect a Gitea or Forgejo server
         * @description The projects of the workspace may attach repositories that the account of the token sees there. A connection to this server that is there already gets the token instead of its own, and the repositories of one that was removed go on. The server is not asked: `attach_repository` says if the token is wrong. At most 20. Owners and admins only.
         */
        post: operations["create_gitea_connection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/gitea/connections/{gitea_connection_id}": {
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
         * Remove a connection to Gitea or Forgejo
         * @description Deletes the token. Repositories that projects have attached stay attached and cannot be used until the workspace is connected to the same server again. Owners and admins only.
         */
        delete: operations["delete_gitea_connection"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/pull-request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the pull request of a task
         * @description The pull request of the task, and whether it can be merged into its base now: that is computed for each answer. Everyone who can open the project may see it.
         */
        get: operations["get_pull_request"];
        put?: never;
        /**
         * Open the pull request of a task
         * @description Offers the task's branch for merging, with the title of the task and its approved plan. It is to be merged into the `base` of the task, if it has one; otherwise into the default branch if that is a merge target of the project, or into the first of its merge targets. `set_task_merge_target` chooses another one. Whether it can be merged is said by `get_pull_request`. A pull request that is there already is the answer, with status 200. Members of the project may.
         */
        post: operations["open_pull_request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/merge-targets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what a task may be merged into
         * @description The merge targets of the project, and for each whether the caller may merge the task into it: owners and admins, and members of a team on the project that may merge into branches of its stage. Everyone who can open the project may see them.
         */
        get: operations["list_task_merge_targets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/merge-target": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Choose what a task is merged into
         * @description Sets the base of the open pull request to another merge target of the project. Members of the project may; merging may take further rights.
         */
        put: operations["set_task_merge_target"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/pull-request/checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the checks of a pull request
         * @description The checks of the last commit of the pull request, in the order in which they run. Those of a repository of this server are the `checks` of `.guildhall.yml` in that commit; a file that cannot be read is one failed check of that name. Empty without any, and until they have begun. Everyone who can open the project may see them.
         */
        get: operations["list_checks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/pull-request/checks/{check_id}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the log of a check
         * @description The last 256 KiB that a check has written, as text, with a line about how it ended; stored every few seconds while it runs. Control characters are removed; `***` stands for what has the form of a key of a well-known service. Empty before it has begun. Everyone who can open the project may read it.
         */
        get: operations["get_check_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the merge of a task
         * @description The last merge that was asked for, and what came of it. Everyone who can open the project may see it.
         */
        get: operations["get_merge"];
        put?: never;
        /**
         * Merge a task
         * @description Merges the branch of the task into the base of its open pull request. Owners and admins may, and members of a team on the project that may merge into branches of that stage. `expected_head_sha` is the commit that you have seen: if the branch has moved since, the answer is 409 `head_changed` with both. A worker carries it out: `get_merge` shows what came of it. While the checks of that commit run, or if they failed, the answer is 409 `checks_not_passed`; owners and admins may merge all the same with `force`, which is recorded. A task is merged once: asking again answers the first merge, unless that failed.
         */
        post: operations["merge_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/deploys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deploys
         * @description The deploys of the project, newest first: each merge of a task makes one. In a repository of this server, a worker runs the command that `.guildhall.yml` of the merged commit has for the stage; one at a time for each branch, and the newest instead of older ones that wait. Everyone who can open the project may see them. Always in pages: 50 entries, unless `limit` says otherwise.
         */
        get: operations["list_deploys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deploys/{deploy_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a deploy
         * @description A deploy, and what came of it. Everyone who can open its project may see it; `get_deploy_log` has what its command has printed.
         */
        get: operations["get_deploy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deploys/{deploy_id}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the log of a deploy
         * @description The last 256 KiB that the command of the deploy has printed, as text, stored every few seconds while it runs. `***` stands for what has the form of a key of a well-known service. Empty when no command was run. Everyone who can open the project may read it.
         */
        get: operations["get_deploy_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/attachments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the attachments of a task
         * @description The files that people have given to the task, oldest first. Everyone who can open the project may list them. The complete list, unless `limit` is given.
         */
        get: operations["list_attachments"];
        put?: never;
        /**
         * Attach a file to a task
         * @description Send the bytes of the file as the body, at most 25 MiB, and its name as `filename`. Name its id in `attachment_ids` of a message to show it to the agent. Owners, admins and members.
         */
        post: operations["create_attachment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/attachments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload a file for a new task
         * @description As `create_attachment`, for a task that does not exist yet: name its id in `attachment_ids` of `create_task`. Only whoever uploaded it can do so. After a day without a task it is deleted.
         */
        post: operations["create_project_attachment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/attachments/{attachment_id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an attachment
         * @description The bytes of the file, or one range of them. It is always a download, of the type that its bytes have. Everyone who can open the project may have it.
         */
        get: operations["get_attachment_content"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/attachments/{attachment_id}": {
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
         * Delete an attachment
         * @description Deletes the file, also from the message that it was sent with. What the agent has read of it stays read. Whoever uploaded it, owners and admins. Its bytes cannot be read from then on, and are removed within two minutes.
         */
        delete: operations["delete_attachment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the artifacts of a task
         * @description The files that the turns of the task have produced, oldest first; a path may come once from each turn. Everyone who can open the project may list them. The complete list, unless `limit` is given.
         */
        get: operations["list_artifacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/artifacts/{artifact_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an artifact
         * @description The name, type, size and hash of a file that the task has produced. Everyone who can open the project may see it.
         */
        get: operations["get_artifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/artifacts/{artifact_id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an artifact
         * @description The bytes of the file, or one range of them. It is always a download, of the type that its bytes have. Everyone who can open the project may have it.
         */
        get: operations["get_artifact_content"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the balance
         * @description The caller's prepaid balance, as decimal strings in USD.
         */
        get: operations["get_balance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/add-funds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add funds to the balance
         * @description Charges a saved card and credits the amount to the caller's balance. Send an `Idempotency-Key` to make a retry safe: at most one charge is ever made under one key. Without a key, an identical request (same balance, card and amount) gets the same charge while that is open and for 10 seconds after it succeeded. While the outcome of a charge is unknown the answer is 202 and the balance follows by itself.
         */
        post: operations["add_funds"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/payment-methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List saved cards
         * @description The caller's saved cards, newest first.
         */
        get: operations["list_payment_methods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/payment-methods/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to save a card
         * @description Begins to save a card. With Stripe, complete it in the browser: load the script of Stripe with `publishable_key`, confirm the SetupIntent of `client_secret`, and then call `complete_card_setup`. The card is saved even if that call is never made. On the sandbox, send `test_card`: it is saved at once. A replay by its Idempotency-Key has no `client_secret` after ten minutes: begin anew.
         */
        post: operations["set_up_payment_method"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/payment-methods/setup/{setup_id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete saving a card
         * @description Asks the card processor for the outcome and saves the card if it has one, once, however often it is called. `open` means that the card has not been entered yet, or that the processor could not be asked; the server goes on asking by itself.
         */
        post: operations["complete_card_setup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/payment-methods/{payment_method_id}/default": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Make a card the default
         * @description Makes a card the one that forms propose. It changes nothing about auto-reload, which names its card.
         */
        put: operations["make_default_payment_method"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/payment-methods/{payment_method_id}": {
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
         * Remove a card
         * @description Removes a card: here at once, and at the card processor soon afterwards. While auto-reload charges it, or the outcome of a charge is open, it is refused with `blockers`, each with a `code` (`auto_reload`, `top_up_in_flight`), a `message`, and `organization_id` or `top_up_id`. Workspaces that it was shared with no longer see it.
         */
        delete: operations["delete_payment_method"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/billing/payment-methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the cards shared with a workspace
         * @description The cards that its owner and admins have shared with the workspace, the latest share first. Owners and admins only. A card is charged by its own person alone. While its person is deactivated, or lacks the second factor that the workspace requires, it is not listed.
         */
        get: operations["list_workspace_payment_methods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/billing/payment-methods/{payment_method_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Share a card with a workspace
         * @description Lets the workspace's owner and admins see a card of the caller, who must be one of them. It lets no one else charge the card. It ends when its person ends it, removes the card, leaves the workspace or loses the role. A card that is shared already stays so.
         */
        put: operations["share_payment_method"];
        post?: never;
        /**
         * Stop sharing a card with a workspace
         * @description Hides a card of the caller from the workspace again. If auto-reload of the workspace charges the card, it is switched off. A card that is not shared stays so.
         */
        delete: operations["unshare_payment_method"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/top-ups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add funds in a browser
         * @description Charges a saved card of the caller for their own balance. Like adding funds, for a person in front of a browser: if the bank asks for the cardholder, the answer is `requires_action`. With Stripe, let its script handle the next action of `client_secret`, then call `complete_top_up`; the credit comes even if that call is never made. On the sandbox, `complete_top_up` takes `test_authentication`. A charge that is not confirmed within 30 minutes is cancelled. A replay by its Idempotency-Key has no `client_secret` after ten minutes: `complete_top_up` answers it.
         */
        post: operations["begin_top_up"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/top-ups/{top_up_id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a top-up
         * @description Asks the card processor for the outcome of a charge that the caller has begun, for their own balance or a workspace's, and credits it if it succeeded, once, however often it is called. A caller who may not see the billing of the workspace any more does not learn its balance, and what they have not confirmed is cancelled. On the sandbox, `test_authentication` is what the cardholder does.
         */
        post: operations["complete_top_up"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/top-ups/{top_up_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a top-up
         * @description Cancels a charge that the caller has begun, for their own balance or a workspace's, and that waits for the cardholder. If it was confirmed before that, it is credited, and the answer says `succeeded`; `processing`: the card processor could not be asked, so try again. A repeat changes nothing.
         */
        post: operations["cancel_top_up"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List transactions
         * @description Every movement of the caller's balance, newest first. `amount` is negative for money that left; `balance` is the balance right after it. The complete list, unless `limit` is given.
         */
        get: operations["list_transactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/transactions/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export transactions
         * @description The movements of the caller's balance as a file to download, newest first. `amount` is negative for money that left; `balance` is the balance right after it. CSV with a header line (RFC 4180), or one JSON object a line. In CSV, a cell that a spreadsheet would take for a formula begins with an apostrophe. A download that does not end properly is incomplete: ask for it again.
         */
        get: operations["export_transactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/auto-reload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get auto-reload
         * @description Whether and how a card is charged automatically when the caller's balance runs low. Off by default.
         */
        get: operations["get_auto_reload"];
        /**
         * Update auto-reload
         * @description Sets how the caller's balance is recharged automatically. Off by default. When the available balance falls below `threshold`, the card is charged once: `amount`, or the difference to `threshold` if that is more; at most once an hour, and never beyond `monthly_cap` in a calendar month (UTC). A field that is omitted keeps its value. Switching it on takes all of them, and a card of the caller. It pauses after three declines in a row, and immediately when the bank requires the cardholder, when the card is lost, and after a refund or dispute of any top-up of this balance. Choosing another card resumes it, as do funds that the owner of the card adds; after a refund or dispute, so does switching it off and on. Send the `ETag` of the auto-reload that you have read as `If-Match` to avoid overwriting a later change.
         */
        put: operations["update_auto_reload"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/details": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the billing details
         * @description What invoices to the caller say of them. Fields that were never set are omitted.
         */
        get: operations["get_billing_details"];
        /**
         * Update the billing details
         * @description Changes what later invoices to the caller say of them. Invoices that exist do not change. A field that is omitted keeps its value, `null` removes it, and `{}` changes nothing. Send the `ETag` of the billing details that you have read as `If-Match` to avoid overwriting a later change.
         */
        put: operations["update_billing_details"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/invoices/{invoice_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an invoice
         * @description An invoice, credit note or debit note to the caller.
         */
        get: operations["get_invoice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/invoices/{invoice_id}/pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an invoice as PDF
         * @description An invoice, credit note or debit note to the caller. The same document always has the same bytes, unless a release changes what it looks like.
         */
        get: operations["get_invoice_pdf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/spend-limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the spend limits
         * @description What may be spent of the caller's balance in a calendar month (UTC), as a whole and for single projects, people and tasks, with what was spent so far. Without a limit, the balance alone bounds what is spent.
         */
        get: operations["get_spend_limits"];
        /**
         * Update the spend limits
         * @description Limits what may be spent of the caller's balance in a calendar month (UTC): as a whole (`balance`), for one of their personal projects, for what a person asked for there, or for a task. Limits that are not named keep their amount; a new one is added, and `null` removes one; at most 200. What a task costs counts to the whole balance, its project, the person who asked for it, and itself. No work begins or goes on beyond any of these: at a limit, the task pauses (`spend_limit`), what it did is kept, and it goes on by itself when the limit is raised or removed, or when the next month begins. Work that is under way when a limit is lowered ends within a minute or half a dollar. A limit on a project or a task ends when the project is given to another owner. Send the `ETag` of the limits that you have read as `If-Match` to avoid overwriting a later change.
         */
        put: operations["update_spend_limits"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/billing/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invoices
         * @description The caller's invoices: one for each top-up that succeeded, a credit note for each refund, and a debit note for each refund that failed later; newest first. They never change. Always in pages: 50 entries, unless `limit` says otherwise.
         */
        get: operations["list_invoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/billing/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a workspace's balance
         * @description The workspace's prepaid balance, as decimal strings in USD. Owners and admins only.
         */
        get: operations["get_workspace_balance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/billing/add-funds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add funds to a workspace's balance
         * @description Charges a saved card of the caller and credits the amount to the workspace's balance. Owners and admins only. Otherwise the same as adding funds to a personal balance.
         */
        post: operations["add_workspace_funds"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/billing/top-ups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add funds to a workspace in a browser
         * @description Charges a saved card of the caller for the workspace's balance. Owners and admins only. Like adding funds, for a person in front of a browser: if the bank asks for the cardholder, the answer is `requires_action`. With Stripe, let its script handle the next action of `client_secret`, then call `complete_top_up`; the credit comes even if that call is never made. On the sandbox, `complete_top_up` takes `test_authentication`. A charge that is not confirmed within 30 minutes is cancelled. A replay by its Idempotency-Key has no `client_secret` after ten minutes: `complete_top_up` answers it.
         */
        post: operations["begin_workspace_top_up"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/billing/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a workspace's transactions
         * @description Every movement of the workspace's balance, newest first. `amount` is negative for money that left; `balance` is the balance right after it. Owners and admins only. Always in pages: 50 entries, unless `limit` says otherwise.
         */
        get: operations["list_workspace_transactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/billing/transactions/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a workspace's transactions
         * @description The movements of the workspace's balance as a file to download, newest first. `amount` is negative for money that left; `balance` is the balance right after it. Owners and admins only. CSV with a header line (RFC 4180), or one JSON object a line. In CSV, a cell that a spreadsheet would take for a formula begins with an apostrophe. A download that does not end properly is incomplete: ask for it again.
         */
        get: operations["export_workspace_transactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/billing/auto-reload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a workspace's auto-reload
         * @description Whether and how a card is charged automatically when the workspace's balance runs low. Owners and admins only.
         */
        get: operations["get_workspace_auto_reload"];
        /**
         * Update a workspace's auto-reload
         * @description Sets how the workspace's balance is recharged automatically. Owners and admins only. Off by default. When the available balance falls below `threshold`, the card is charged once: `amount`, or the difference to `threshold` if that is more; at most once an hour, and never beyond `monthly_cap` in a calendar month (UTC). A field that is omitted keeps its value. Switching it on takes all of them, and a card of the caller. It pauses after three declines in a row, and immediately when the bank requires the cardholder, when the card is lost, and after a refund or dispute of any top-up of this balance. Choosing another card resumes it, as do funds that the owner of the card adds; after a refund or dispute, so does switching it off and on. Send the `ETag` of the auto-reload that you have read as `If-Match` to avoid overwriting a later change. Card and figures belong to the person who set them. Anyone else who may set auto-reload can switch it off with `{"enabled": false}` alone, or replace all of it: `threshold`, `amount`, `monthly_cap` and a card of their own, sent together. It is switched off when the card belongs to someone who is no longer an owner or admin, or does not meet the two-factor policy.
         */
        put: operations["update_workspace_auto_reload"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/billing/details": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a workspace's billing details
         * @description What invoices to the workspace say of it. Owners and admins only. Fields that were never set are omitted.
         */
        get: operations["get_workspace_billing_details"];
        /**
         * Update a workspace's billing details
         * @description Changes what later invoices to the workspace say of it. Owners and admins only. Invoices that exist do not change. A field that is omitted keeps its value, `null` removes it, and `{}` changes nothing. Send the `ETag` of the billing details that you have read as `If-Match` to avoid overwriting a later change.
         */
        put: operations["update_workspace_billing_details"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/billing/invoices/{invoice_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a workspace's invoice
         * @description An invoice, credit note or debit note to the workspace. Owners and admins only.
         */
        get: operations["get_workspace_invoice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/billing/invoices/{invoice_id}/pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a workspace's invoice as PDF
         * @description An invoice, credit note or debit note to the workspace. Owners and admins only. The same document always has the same bytes, unless a release changes what it looks like.
         */
        get: operations["get_workspace_invoice_pdf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/billing/spend-limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a workspace's spend limits
         * @description What may be spent of the workspace's balance in a calendar month (UTC), as a whole and for single projects, people and tasks, with what was spent so far. Owners and admins only.
         */
        get: operations["get_workspace_spend_limits"];
        /**
         * Update a workspace's spend limits
         * @description Limits what may be spent of the workspace's balance in a calendar month (UTC): as a whole (`balance`), for a project, for what a member or collaborator asked for, or for a task. Owners and admins only. Limits that are not named keep their amount; a new one is added, and `null` removes one; at most 200. What a task costs counts to the whole balance, its project, the person who asked for it, and itself. No work begins or goes on beyond any of these: at a limit, the task pauses (`spend_limit`), what it did is kept, and it goes on by itself when the limit is raised or removed, or when the next month begins. Work that is under way when a limit is lowered ends within a minute or half a dollar. A limit on a project or a task ends when the project is given to another owner. Send the `ETag` of the limits that you have read as `If-Match` to avoid overwriting a later change.
         */
        put: operations["update_workspace_spend_limits"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/billing/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a workspace's invoices
         * @description The workspace's invoices, for owners and admins only: one for each top-up that succeeded, a credit note for each refund, and a debit note for each refund that failed later; newest first. They never change. Always in pages: 50 entries, unless `limit` says otherwise.
         */
        get: operations["list_workspace_invoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get your usage
         * @description What you asked for, whoever paid for it, and what your own balance paid, summed by UTC day and grouped. What was deleted keeps its id, without a name.
         */
        get: operations["get_usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a workspace's usage
         * @description What the workspace's balance paid, summed by UTC day and grouped: all of it for its owner and admins, and for others what they asked for. What was deleted keeps its id, without a name.
         */
        get: operations["get_workspace_usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a project's usage
         * @description What was used for the project, whoever paid for it, summed by UTC day and grouped: all of it for owners and admins, and for others what they asked for. Tasks that were deleted keep their id, without a title.
         */
        get: operations["get_project_usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a task's usage
         * @description What was used for the task, summed by UTC day and grouped: all of it for whoever created the task and for owners and admins, and for others what they asked for.
         */
        get: operations["get_task_usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export your usage
         * @description What you asked for, whoever paid for it, and what your own balance paid; `paid_by_you` says which. One line for each thing that was used, in the order of its time, all from one moment of the database. `amount` is USD, exact. CSV with a header line (RFC 4180), or one JSON object a line. In CSV, a cell that a spreadsheet would take for a formula begins with an apostrophe. A download that does not end properly is incomplete: ask for it again.
         */
        get: operations["export_usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/usage/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a workspace's usage
         * @description What the workspace's balance paid: all of it for its owner and admins, and for others what they asked for. One line for each thing that was used, in the order of its time, all from one moment of the database. `amount` is USD, exact. CSV with a header line (RFC 4180), or one JSON object a line. In CSV, a cell that a spreadsheet would take for a formula begins with an apostrophe. A download that does not end properly is incomplete: ask for it again.
         */
        get: operations["export_workspace_usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/usage/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a project's usage
         * @description What was used for the project, whoever paid: all of it for owners and admins, and for others what they asked for. One line for each thing that was used, in the order of its time, all from one moment of the database. `amount` is USD, exact. CSV with a header line (RFC 4180), or one JSON object a line. In CSV, a cell that a spreadsheet would take for a formula begins with an apostrophe. A download that does not end properly is incomplete: ask for it again.
         */
        get: operations["export_project_usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/usage/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a task's usage
         * @description What was used for the task: all of it for whoever created it and for owners and admins, and for others what they asked for. One line for each thing that was used, in the order of its time, all from one moment of the database. `amount` is USD, exact. CSV with a header line (RFC 4180), or one JSON object a line. In CSV, a cell that a spreadsheet would take for a formula begins with an apostrophe. A download that does not end properly is incomplete: ask for it again.
         */
        get: operations["export_task_usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/odoo-connections/probe-url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Probe an address
         * @description Whether an Odoo server answers at an address, which version it is, and which databases it lists. The answer is 200 whatever was found; `code` says what is wrong. It takes at most ten seconds, and nothing is stored.
         */
        post: operations["probe_odoo_url"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/odoo-connections/probe-login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Probe a login
         * @description Whether a login to an Odoo server works, what it may do there, and when its API key expires. The answer is 200 whatever was found; `code` says what is wrong. It takes at most ten seconds, and the login is stored nowhere.
         */
        post: operations["probe_odoo_login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/odoo-instance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the ERP instance of a task
         * @description An ERP system of its own, in which the agent of the task tries out what it builds, and which is thrown away. Everyone who can open the project may see it; its password is shown to no one.
         */
        get: operations["get_odoo_instance"];
        put?: never;
        /**
         * Start the ERP instance of a task
         * @description Asks for an ERP system of the version and edition of the project, with an empty database or a copy of the dump of the project. A worker makes it ready, and `get_odoo_instance` shows when it is: 202. If the task has one that is starting or running, that one is kept longer: 200. It ends when it was not used for a while, when the balance is used up or a spend limit of the month is reached, and with its task. Members of the project may.
         */
        post: operations["start_odoo_instance"];
        /**
         * Stop the ERP instance of a task
         * @description Asks for the instance to be removed with everything in it. A worker does it, and `get_odoo_instance` answers 404 when it is gone. Members of the project may.
         */
        delete: operations["stop_odoo_instance"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/odoo-instance/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restart the ERP instance of a task
         * @description Ends its Odoo and starts it again with the same database. A worker does it. Members of the project may.
         */
        post: operations["restart_odoo_instance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/odoo-instance/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset the ERP instance of a task
         * @description Deletes its database with everything in it and starts its Odoo with a new one, as for a new instance. A worker does it. Members of the project may.
         */
        post: operations["reset_odoo_instance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/odoo-instance/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open the ERP instance of a task
         * @description Makes an address that signs the caller in to its Odoo as admin, once, within 60 seconds. The browser that opens it is let in until the instance ends, and as long as the caller may work on the task. Members of the project may.
         */
        post: operations["open_odoo_instance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/odoo-instance/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the log of the ERP instance of a task
         * @description What its Odoo has printed last, without its password. A worker reads it every ten seconds. Everyone who can open the project may see it.
         */
        get: operations["get_odoo_instance_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/odoo-instance/mails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the mails of the ERP instance of a task
         * @description Mails that its Odoo has sent, which nobody gets. The newest come first, and the newest 100 are kept; a worker collects them every ten seconds. Everyone who can open the project may see them.
         */
        get: operations["list_odoo_instance_mails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/odoo-dump": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the dump of a project
         * @description What the ERP instances of tasks start from, and whether it is ready. Its bytes are given to no one. Everyone who can open the project may see this.
         */
        get: operations["get_odoo_dump"];
        /**
         * Upload a dump of an Odoo database
         * @description Send a backup as Odoo makes it, a zip with `dump.sql`, `manifest.json` and the filestore, as the body. A worker restores it in a sandbox, neutralises it, clears all passwords and keys, and checks that: from then on, the ERP instances of tasks start from it. It replaces the dump that the project has. `production` must say whether it is a copy of a production system; if it is, a person must approve that with `approve_production`. Admins of the project, and the owner and admins of its workspace only.
         */
        put: operations["upload_odoo_dump"];
        post?: never;
        /**
         * Delete the dump of a project
         * @description New ERP instances start from an empty database again. Its bytes, and what a worker has prepared of it, are removed within minutes. Instances that run keep their copy until they end or are reset. Admins of the project, and the owner and admins of its workspace only.
         */
        delete: operations["delete_odoo_dump"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/odoo-connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List connections to Odoo
         * @description In the order in which they were added, for everyone who can open the project, and never with a secret.
         */
        get: operations["list_odoo_connections"];
        put?: never;
        /**
         * Add a connection to Odoo
         * @description Asks the server first, and refuses what is wrong: an address that is no Odoo, a login that does not work. A server that is down (`refused`, `timeout`, `database_down`, `rate_limited`) does not stand in the way: `last_probe` says so. The secret is stored encrypted and never shown; agents never get it. Admins of the project, and the owner and admins of its workspace only.
         */
        post: operations["create_odoo_connection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/odoo-connections/{connection_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a connection to Odoo
         * @description The connection, without its secret, for everyone who can open the project. Its ETag changes with its settings, and not when the server is asked again.
         */
        get: operations["get_odoo_connection"];
        /**
         * Update a connection to Odoo
         * @description A field that is omitted keeps its value; `null` removes one that may be empty; `{}` changes nothing. A new address, database, login, kind or secret is tried first, as when it was added. A new host or kind needs the secret again: it is used only where, and as what, it was given. A connection that becomes `production` drops from `write` to `read` unless the request says `agent_access: write`. Agents that use it work with the new settings from their next call on. Send the `ETag` of the connection you have read as `If-Match` to avoid overwriting a later change. Admins of the project, and the owner and admins of its workspace only.
         */
        put: operations["update_odoo_connection"];
        post?: never;
        /**
         * Delete a connection to Odoo
         * @description Deletes the connection and its secret. Tasks in which it is active lose it at once. The secret still works in Odoo: withdraw it there, too. Admins of the project, and the owner and admins of its workspace only.
         */
        delete: operations["delete_odoo_connection"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/odoo-connections/{connection_id}/probe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a connection to Odoo
         * @description Asks the server whether the login works, and keeps what it says as `last_probe`, with its version and when the secret expires. What is wrong has a `code`; nothing else changes. Members of the project may; at most 10 times a minute.
         */
        post: operations["probe_odoo_connection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/odoo-connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the active connections of a task
         * @description Those that the agent may use, in the order in which they were activated. `list_odoo_connections` has all of the project. Everyone who can open the project may see them.
         */
        get: operations["list_task_odoo_connections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{task_id}/odoo-connections/{connection_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Activate a connection in a task
         * @description The agent reaches the server at a local address from its next turn on, with the rights that the connection gives to agents, and never gets the secret. Activating one again changes nothing. Members of the project may.
         */
        put: operations["activate_odoo_connection"];
        post?: never;
        /**
         * Deactivate a connection in a task
         * @description The agent is refused from its next call on, also while it is at work. One that is not active stays so. Members of the project may.
         */
        delete: operations["deactivate_odoo_connection"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{org_id}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhooks of a workspace
         * @description Without those of its projects. Owners and admins only.
         */
        get: operations["list_workspace_webhooks"];
        put?: never;
        /**
         * Add a webhook to a workspace
         * @description Events of the workspace and of all its projects are sent to the address from now on. The secret that verifies signatures is shown in this answer and never again. At most 20. Owners and admins only.
         */
        post: operations["create_workspace_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhooks of a project
         * @description Admins of the project, and the owner and admins of its workspace only.
         */
        get: operations["list_project_webhooks"];
        put?: never;
        /**
         * Add a webhook to a project
         * @description Events of the project are sent to the address from now on. The secret that verifies signatures is shown in this answer and never again. At most 20. Admins of the project, and the owner and admins of its workspace only.
         */
        post: operations["create_project_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description Admins of the project or the workspace that it is of, and the owner only.
         */
        get: operations["get_webhook"];
        /**
         * Update a webhook
         * @description A field that is omitted keeps its value; `{}` changes nothing. One that is switched on again, or has another address, gets what still waits for it, in order; what happens while it is off is not kept. Send the `ETag` of the webhook you have read as `If-Match` to avoid overwriting a later change. Admins of the project or the workspace that it is of, and the owner only.
         */
        put: operations["update_webhook"];
        post?: never;
        /**
         * Delete a webhook
         * @description Deletes the webhook with what waits for it and the log of its deliveries. Admins of the project or the workspace that it is of, and the owner only.
         */
        delete: operations["delete_webhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{webhook_id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of a webhook
         * @description The new secret is shown in this answer and never again. For 24 hours each message is signed with both, so that receivers can change over; one before those ends at once. Admins of the project or the workspace that it is of, and the owner only.
         */
        post: operations["rotate_webhook_secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{webhook_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test to a webhook
         * @description Sends an event of the type `webhook.test`, whatever the webhook hears of otherwise. Its deliveries say what came of it. Admins of the project or the workspace that it is of, and the owner only.
         */
        post: operations["test_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{webhook_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook
         * @description What was sent to the webhook in the last 30 days, and what waits for it, newest first. Always in pages: 50 entries, unless `limit` says otherwise. Admins of the project or the workspace that it is of, and the owner only.
         */
        get: operations["list_webhook_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{webhook_id}/deliveries/{delivery_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description Sends the same body with the same `webhook-id` again, at once, whatever came of it before. Admins of the project or the workspace that the webhook is of, and the owner only.
         */
        post: operations["resend_webhook_delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of the server
         * @description Versions, the size of the database, migrations, and counts of what needs somebody. Operators only.
         */
        get: operations["get_server"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all people
         * @description Everybody with an account, by address; service accounts belong to their workspaces. Always in pages: 50 entries, unless `limit` says otherwise. Operators only.
         */
        get: operations["list_users"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users/{user_id}/deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deactivate a person
         * @description Revokes the keys of the person, and ends their sessions, sign-in link and open streams, at once and for good; they are no operator any more. Memberships, what they own, and turns that run stay, and the answer says which. Operators only, and never on themselves.
         */
        post: operations["deactivate_user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users/{user_id}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activate a person again
         * @description Lets a deactivated person sign in again. Their former keys and sessions stay revoked, and one who was an operator is none. Operators only.
         */
        post: operations["activate_user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users/{user_id}/sign-in-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a sign-in link for a person
         * @description Makes a link that signs the person in once, within 60 minutes; a second factor is still asked for. It replaces their earlier one, and is shown only here. Whoever opens it acts as that person, so they are told by mail, and no API key is enough. Operators only.
         */
        post: operations["create_sign_in_link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users/{user_id}/reset-two-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove the second factors of a person
         * @description Removes the authenticator app, the passkeys and the recovery codes of a person who has lost them, and ends their sessions; they are told by mail. First make sure that it is they who ask. No API key is enough. Operators only.
         */
        post: operations["reset_two_factor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/users/{user_id}/credits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Grant credits to a person
         * @description Adds to the balance of the person, for their personal projects what no card pays: one posting of the ledger, which refers to the row of the audit trail with who did it and why. Operators only.
         */
        post: operations["grant_user_credits"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all workspaces
         * @description All workspaces with their owners, counts and balances, by name; nothing of what is in them. Always in pages: 50 entries, unless `limit` says otherwise. Operators only.
         */
        get: operations["list_all_workspaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/organizations/{org_id}/credits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Grant credits to a workspace
         * @description Adds to the balance of the workspace what no card pays: one posting of the ledger, which refers to the row of the audit trail with who did it and why. Operators only.
         */
        post: operations["grant_workspace_credits"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/turns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List running and queued turns
         * @description Turns that have not ended, oldest first: where they are and how they are, and no word of the task. Always in pages: 50 entries, unless `limit` says otherwise. Operators only.
         */
        get: operations["list_open_turns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List workers
         * @description The processes that carry out tasks, or try to, heard of last first; those that are gone are listed for an hour. Operators only.
         */
        get: operations["list_workers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/mails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List outgoing mail
         * @description Mail that was given up, or of another `status`, newest first: to whom and how it went, not what it says. Always in pages: 50 entries, unless `limit` says otherwise. Operators only.
         */
        get: operations["list_mails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/mails/{mail_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send mail again
         * @description Makes mail due now that is dead or waits for a later attempt, with all attempts before it. Operators only.
         */
        post: operations["resend_mail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/webhook-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries that were given up
         * @description Deliveries of all webhooks that were given up in the last 30 days, newest first: where and why, not what was sent. Always in pages: 50 entries, unless `limit` says otherwise. Operators only.
         */
        get: operations["list_failed_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/webhook-deliveries/{delivery_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again that was given up
         * @description Sends the same body with the same `webhook-id` again, at once. A webhook that is switched off stays so: its admins switch it on. Operators only.
         */
        post: operations["resend_failed_delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List settings
         * @description Every setting of the server process that answers, in the order of the documents, with where it is from; no secrets. Operators only.
         */
        get: operations["list_settings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what operators did
         * @description What operators did here, what others tried and were refused, and what the command line did (without an actor, because it has no account), newest first. Always in pages: 50 entries, unless `limit` says otherwise. Operators only.
         */
        get: operations["list_operator_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "task-created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A task was created
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_task_created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "task-plan-waiting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The plan of a task waits for approval
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_task_plan_waiting"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "task-question-asked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The agent of a task asks a question
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_task_question_asked"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "task-permission-asked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The agent of a task asks for a permission
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_task_permission_asked"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "task-ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A task is ready
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_task_ready"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "task-failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A task has failed
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_task_failed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "task-paused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A task is paused
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_task_paused"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "task-cancelled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A task was cancelled
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_task_cancelled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "task-checks-failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The checks of a task have failed
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_task_checks_failed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "task-merged": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A task was merged
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_task_merged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "deploy-succeeded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A deploy has succeeded
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_deploy_succeeded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "deploy-failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A deploy has failed
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_deploy_failed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "member-added": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A person has joined the workspace
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_member_added"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "member-removed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A person has left the workspace
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_member_removed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invitation-created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A person was invited
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_invitation_created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "balance-low": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The balance of the workspace is low
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_balance_low"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "top-up-succeeded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The balance of the workspace was topped up
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_top_up_succeeded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "top-up-failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The balance of the workspace could not be topped up
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_top_up_failed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "audit-recorded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A row of the audit trail was written
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_audit_recorded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook-test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An admin has sent a test
         * @description Sent to the webhooks that hear of it, at least once, and in order for each task.
         */
        post: operations["on_webhook_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
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
        Account: {
            /** Format: uuid */
            id: string;
            email: string;
            /** @description Left out without one. */
            name?: string;
            /** @description Whether warnings about balances and cards are sent by mail: your own, and those of workspaces that you administer. */
            mail_warnings: boolean;
            two_factor_enabled: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Config: {
            /** @description The version of this server. */
            version: string;
            erp: {
                versions: {
                    /** @description As projects name it, such as `19.0`. */
                    version: string;
                    editions: ("community" | "enterprise")[];
                    /**
                     * @description Whether the vendor still corrects errors of this version.
                     * @enum {string}
                     */
                    status: "supported" | "end_of_life";
                }[];
            };
            models: {
                /** @description As projects and tasks name it. */
                id: string;
                /** @description As people see it. */
                name: string;
                /** @description The agent that runs it. */
                agent: string;
                /** @description USD per million tokens. */
                prices: {
                    /** @description Tokens sent to the model. */
                    input: string;
                    /** @description Tokens that the model writes. */
                    output: string;
                    /** @description Tokens sent that the model reads from its cache. */
                    cache_read?: string;
                    /** @description Tokens sent that the model writes to its cache. */
                    cache_write?: string;
                    /** @description The same where the cache keeps them for an hour; twice `input` by default. */
                    cache_write_1h?: string;
                };
                /** @description The model of a project or task that names none; at most one is. */
                is_default: boolean;
            }[];
            /** @description Where agents work. */
            pods: {
                /** @description USD of an hour in which the pod of a task runs. */
                price_per_hour: string;
            };
            /** @description Images of containers that projects may choose for the pods of their tasks. */
            images: {
                /** @description As projects and build files name it. */
                id: string;
                /** @description As people see it. */
                name: string;
            }[];
            /** @description Throwaway ERP systems for tasks. */
            erp_instances: {
                /** @description USD of an hour in which the ERP instance of a task runs. */
                price_per_hour: string;
            };
            limits: {
                /** @description The largest JSON body of most operations. */
                body_bytes: number;
                /** @description The largest `limit` of a list. */
                page_size: number;
                /**
                 * Format: usd
                 * @description USD that one add-funds request may ask for at least.
                 */
                top_up_minimum: string;
                /**
                 * Format: usd
                 * @description USD that one add-funds request may ask for at most.
                 */
                top_up_maximum: string;
                /** @description Per user. */
                requests_per_minute: number;
                /** @description Add-funds requests per user. */
                add_funds_per_minute: number;
                /** @description Invitations that a user sends. */
                invitations_per_minute: number;
            };
            /** @description After how many days something is removed; left out: never. */
            retention: {
                /** @description Events of tasks, after the last turn. */
                events_days: number;
                /** @description Logs of checks, deploys and pods. */
                logs_days?: number;
                /** @description Messages, texts of plans, comments and questions of a task, after it was archived. */
                conversations_days?: number;
                /** @description Attachments and artifacts of a task, after it was archived. */
                files_days?: number;
            };
            /** @description What this server can do. */
            features: {
                /**
                 * @description How work is paid for: by cards through `stripe`; by `credits` that the operator grants; `off`: not at all, and costs are only counted; on the `sandbox`, by test cards.
                 * @enum {string}
                 */
                billing: "stripe" | "credits" | "off" | "sandbox";
                /**
                 * @description What charges cards; `sandbox` moves no money, and `none` takes no cards.
                 * @enum {string}
                 */
                cards: "sandbox" | "stripe" | "none";
                /** @description Repositories and pull requests: whether one of `code_hosts` is available. */
                code_hosts: boolean;
                /** @description Machines in which agents work: as `agents`. */
                pods: boolean;
                /** @description Agents that write and carry out plans: whether a process carries out tasks now. While none does, tasks wait, and `status_reason` says why. */
                agents: boolean;
                /** @description What agents run is kept apart from the machine of the server. Where it is not, whoever may give an agent a task can read what the server may read. */
                confined: boolean;
                /** @description Throwaway ERP systems in which agents try out what they build. */
                erp_instances: boolean;
                /** @description These are a fake Odoo, for trying out: no ERP systems. */
                erp_sandbox: boolean;
                /** @description These can start from dumps of Odoo databases, in one version at least. */
                erp_dumps: boolean;
                /** @description Mail leaves this server; without it, mail is stored as files. */
                mail: boolean;
                /**
                 * @description Who may create workspaces.
                 * @enum {string}
                 */
                create_workspaces: "anyone" | "operators";
                /**
                 * @description Who may create projects; `in_workspaces`: whoever may in a workspace, and there are no personal ones.
                 * @enum {string}
                 */
                create_projects: "anyone" | "in_workspaces" | "operators";
            };
            /** @description Where the code of projects can be. */
            code_hosts: {
                /** @enum {string} */
                host: "local" | "github" | "gitea";
                available: boolean;
                /** @description Why it is not available. */
                reason?: string;
            }[];
        };
        InboxEntry: {
            /**
             * @description `plan_approval`: a plan that you may approve. `question`: what an agent asks in a task that you work on. `invitation`: one that you may accept. `funds`: a balance that is frozen, or whose auto-reload is paused, or a task that is paused for lack of funds, or at a spend limit that you may change. `failed_checks`: an open pull request whose last commit has failed, unless its agent is at work. `ready`, `failed`: a task that you began and whose agent has ended so in the last 30 days, unless its pull request is merged or closed.
             * @enum {string}
             */
            kind: "plan_approval" | "question" | "invitation" | "funds" | "failed_checks" | "ready" | "failed";
            /** Format: uuid */
            task_id?: string;
            /** Format: uuid */
            project_id?: string;
            /**
             * Format: uuid
             * @description The workspace; left out for what is personal.
             */
            organization_id?: string;
            /** Format: uuid */
            invitation_id?: string;
            /** @description The title of the task, the name of what one is invited to, or what to do. */
            title: string;
            /** Format: date-time */
            since: string;
            /**
             * Format: date-time
             * @description Until when you have set it aside; only with `set_aside`.
             */
            snoozed_until?: string;
        };
        NotificationSettings: {
            /**
             * @description `at_once`: one mail about a task, and the next one five minutes later at the earliest. `daily`: one mail about all tasks, at `daily_at`. `off`: none.
             * @enum {string}
             */
            mail: "at_once" | "daily" | "off";
            /** @description Whether your browsers are told, once you have allowed it in each of them. */
            push: boolean;
            /** @description What you are not told of; you are told of everything else. */
            events_off: ("task.plan_waiting" | "task.question_asked" | "task.permission_asked" | "task.ready" | "task.failed" | "task.paused" | "task.checks_failed" | "task.merged" | "deploy.failed" | "comment.mentioned")[];
            /** @description Within these, nothing is sent; it follows when they end. The mail of the day is sent at its time. */
            quiet_hours?: {
                /** @description The first minute of them, as `22:00`. */
                from: string;
                /** @description When they end, as `07:00`; it may be on the next day. */
                until: string;
            };
            /** @description When the mail of the day is sent, as `08:00`. */
            daily_at: string;
            /** @description The time zone of all times here, by its name in the IANA database. */
            time_zone: string;
        };
        Muted: {
            /**
             * @description What it is.
             * @enum {string}
             */
            kind: "task" | "project";
            /**
             * Format: uuid
             * @description Of the task or the project.
             */
            id: string;
            /**
             * Format: uuid
             * @description The project, or that of the task.
             */
            project_id: string;
            /** @description The title of the task, or the name of the project. */
            title: string;
            /** Format: date-time */
            muted_at: string;
        };
        TaskSubscription: {
            /**
             * @description `following`: you are told of what happens. `unfollowed`: only where you are mentioned, or nobody who follows may approve and you may. `muted`: of nothing.
             * @enum {string}
             */
            state: "following" | "unfollowed" | "muted";
        };
        ProjectMute: {
            /** @description Whether you are told nothing of the tasks of the project. */
            muted: boolean;
        };
        Workspace: {
            /** Format: uuid */
            id: string;
            name: string;
            color?: string;
            icon?: string;
            /** @description Whether members can only act here with two-factor authentication. */
            require_2fa: boolean;
            /** @description Whether admins may make and unmake admins. The owner decides. */
            admins_manage_admins: boolean;
            /** @description The caller's role. */
            role: string;
            /** Format: uuid */
            role_id: string;
            role_name: string;
            role_color: string;
            is_owner: boolean;
            member_count: number;
            project_count: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The operations on this object that the caller may call now. */
            available_actions: string[];
        };
        Instructions: {
            /** @description Markdown, or any text; empty for none. */
            text: string;
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
        Invitation: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            email: string;
            role: string;
            /** @enum {unknown} */
            status: "pending" | "expired";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            invite_link?: string;
            /** @default  */
            invited_by_name: string;
            /** @default  */
            organization_name: string;
            organization_color?: string;
            organization_icon?: string;
            /** @default false */
            require_2fa_before_join: boolean;
        };
        WorkspaceInvitation: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            email: string;
            role: string;
            /** @enum {unknown} */
            status: "pending" | "expired";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            invite_link?: string;
            /** @default  */
            invited_by_name: string;
            /** @default  */
            organization_name: string;
            organization_color?: string;
            organization_icon?: string;
            /** @default false */
            require_2fa_before_join: boolean;
            /** Format: uuid */
            role_id: string;
            role_name: string;
            role_color: string;
            teams: {
                /** Format: uuid */
                id: string;
                name: string;
            }[];
        };
        ReceivedInvitation: {
            /** Format: uuid */
            id: string;
            /** @enum {unknown} */
            kind: "workspace" | "project";
            email: string;
            role: string;
            /** Format: uuid */
            role_id: string;
            role_name: string;
            role_color: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            invited_by_name: string;
            /** Format: uuid */
            organization_id?: string;
            organization_name?: string;
            organization_color?: string;
            organization_icon?: string;
            /** Format: uuid */
            project_id?: string;
            project_name?: string;
            require_2fa_before_join: boolean;
        };
        ProjectInvitation: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            project_id: string;
            email: string;
            role: string;
            /** Format: uuid */
            role_id: string;
            role_name: string;
            role_color: string;
            /** @enum {unknown} */
            status: "pending" | "expired";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            invite_link?: string;
            /** @default  */
            invited_by_name: string;
            project_name: string;
        };
        Member: {
            /** Format: uuid */
            user_id: string;
            email: string;
            name?: string;
            role: string;
            /** Format: uuid */
            role_id: string;
            role_name: string;
            role_color: string;
            is_owner: boolean;
            is_active: boolean;
            two_factor_enabled: boolean;
            /**
             * @description Of service accounts; absent for people.
             * @enum {unknown}
             */
            kind?: "service";
            teams: {
                /** Format: uuid */
                id: string;
                name: string;
            }[];
            /** Format: date-time */
            joined_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Role: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description Made from the first name of the role; it never changes. */
            slug: string;
            color: string;
            /**
             * @description The built-in role whose permissions this one has.
             * @enum {string}
             */
            acts_as: "owner" | "admin" | "member" | "viewer";
            /**
             * @description Whether members of the workspace have the role, or people on its projects.
             * @enum {string}
             */
            scope: "workspace" | "project";
            is_custom: boolean;
            /** @description How many members of the workspace have the role; of a role on projects, how often it is set on its projects. */
            member_count: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Team: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            name: string;
            add_to_new_projects: boolean;
            can_create_projects: boolean;
            can_merge_production: boolean;
            can_merge_staging: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            member_count: number;
            project_count: number;
        };
        TeamMember: {
            /** Format: uuid */
            user_id: string;
            email: string;
            name?: string;
            is_active: boolean;
        };
        TeamProject: {
            /** Format: uuid */
            id: string;
            name: string;
            archived: boolean;
        };
        ServiceAccount: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            /** @description What it is for. It stands where a person’s name would. */
            name: string;
            role: string;
            /** Format: uuid */
            role_id: string;
            role_name: string;
            /** @description Keys that are neither revoked nor expired. */
            keys: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Project: {
            /** Format: uuid */
            id: string;
            name: string;
            /**
             * Format: uuid
             * @description The workspace that owns the project.
             */
            organization_id?: string;
            /**
             * Format: uuid
             * @description The person whose personal project it is.
             */
            owner_user_id?: string;
            /** @description A version that `get_config` lists, such as `19.0`. */
            erp_version: string;
            /** @enum {string} */
            erp_edition: "community" | "enterprise";
            /** @description The model of a task that names none; without it, the default of the catalog. */
            default_model?: string;
            /**
             * @description Whether a person approves a plan before the agent starts.
             * @enum {string}
             */
            plan_approval: "required" | "automatic";
            /**
             * @description Who may push to branches that are not of tasks. Each such push is recorded in the audit trail. `nobody`: tasks are merged instead.
             * @enum {string}
             */
            direct_push: "nobody" | "admins";
            /**
             * Format: usd
             * @description USD that the tasks of the project may cost in all, deleted ones included.
             */
            spend_cap?: string;
            /** @description Whether the project is hidden from lists and takes no new tasks. */
            archived: boolean;
            /** Format: date-time */
            archived_at?: string;
            /** @description What the caller acts as on this project. */
            role: string;
            /** Format: uuid */
            role_id: string;
            role_name: string;
            role_color: string;
            task_count: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The operations on this object that the caller may call now. */
            available_actions: string[];
        };
        ProjectPerson: {
            email: string;
            is_org_member: boolean;
            is_owner: boolean;
            /** @enum {unknown} */
            source: "org" | "override" | "collaborator";
            /** Format: uuid */
            user_id: string;
            effective_role?: string;
            effective_role_color?: string;
            effective_role_name?: string;
            /** @enum {unknown} */
            hidden_reason?: "deactivated" | "two_factor_required";
            is_active?: boolean;
            name?: string;
            /**
             * @description Of service accounts; absent for people.
             * @enum {unknown}
             */
            kind?: "service";
            org_role?: string;
            org_role_color?: string;
            org_role_name?: string;
            project_role?: string;
            project_role_color?: string;
            project_role_name?: string;
        };
        Repository: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            project_id: string;
            /**
             * @description Where the code is: `local` is this server, `gitea` a Gitea or Forgejo server; `get_config` lists those that can be used.
             * @enum {string}
             */
            host: "local" | "github" | "gitea";
            /** @description Its name on its host. */
            full_name: string;
            default_branch: string;
            /** @description For `git clone`: of `local` with an API key as the password, of another host with your own credential there. */
            clone_url: string;
            /** @description Whether the tasks of the project work in it: in one repository of each project. Of the others, they get what is a submodule of it. */
            used_by_tasks: boolean;
            /**
             * @description Why it cannot be used now; absent if it can. `not_connected`: the owner of the project may not use its installation, or has no connection to its server.
             * @enum {string}
             */
            unavailable_reason?: "installation_gone" | "installation_suspended" | "not_connected" | "permission_missing" | "repository_gone" | "token_refused";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Branch: {
            name: string;
            /** @description Its last commit. */
            head_sha: string;
            /** @description Whether tasks begin with it. */
            is_default: boolean;
            /**
             * Format: uuid
             * @description The task whose branch it is, if any.
             */
            task_id?: string;
        };
        MergeTarget: {
            /** @description A branch of the repository in which tasks work. */
            branch: string;
            /**
             * @description Which right merging into it takes, and where what is merged is deployed.
             * @enum {string}
             */
            stage: "staging" | "production";
        };
        Network: {
            /** @description What the setup of an environment may reach. */
            setup: string[];
            /** @description What agents, and the programs that they start, may reach. */
            agent: string[];
            /** @description What the checks of pull requests may reach. */
            checks: string[];
            /** @description What the commands of deploys may reach. */
            deploy: string[];
            /** @description What the operator of this server gives to every project, besides. */
            operator: {
                /** @description What the setup of an environment may reach. */
                setup: string[];
                /** @description What agents, and the programs that they start, may reach. */
                agent: string[];
                /** @description What the checks of pull requests may reach. */
                checks: string[];
                /** @description What the commands of deploys may reach. */
                deploy: string[];
            };
            /** @description Purposes in which only the list of the operator counts. */
            fixed: ("setup" | "agent" | "checks" | "deploy")[];
        };
        Environment: {
            /** @description An image that `get_config` lists, by its id; for pods that are containers. */
            image?: string;
            /** @description A command for the shell that runs in the work tree of a new pod before the agent, before each check and before a deploy, such as `npm ci`. */
            setup?: string;
            /** @description How long the setup may take; 15 minutes where nothing says it. */
            setup_timeout_minutes?: number;
            /** @description Paths of files of the repository. The result of the setup is kept until one of them changes; without any, for the same commit only. */
            cache?: string[];
        };
        ProjectVariable: {
            /** @description As in a shell; upper and lower case differ. */
            name: string;
            /**
             * @description For deploys of this stage only; it wins over a variable of this name without a stage.
             * @enum {string}
             */
            stage?: "staging" | "production";
            /** @description What gets it: the setup of the environment, agents, checks, deploys. Each at most once. */
            purposes: ("setup" | "agent" | "checks" | "deploy")[];
            /** @description Whether the value is stored encrypted and never shown again. */
            secret: boolean;
            /** @description Absent for a secret. */
            value?: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: uuid */
            updated_by_user_id: string;
        };
        McpServer: {
            /** @description What agents call it: letters, digits, underscores and hyphens. */
            name: string;
            /** @description Where it is, by https or http. Agents reach it if its host is on the list of the project for agents. */
            url?: string;
            /**
             * @description Headers of each request to `url`.
             * @default []
             */
            headers: {
                name: string;
                /** @description `${NAME}` stands for the variable of that name that the project has for agents. */
                value: string;
            }[];
            /** @description A program of the image in which agents work; it speaks on its standard streams. */
            command?: string;
            /**
             * @description Arguments of `command`.
             * @default []
             */
            args: string[];
            /**
             * @description Variables of the environment of `command`.
             * @default []
             */
            env: {
                name: string;
                /** @description `${NAME}` stands for the variable of that name that the project has for agents. */
                value: string;
            }[];
            /** @description Which turns get it: those that plan, those that build. */
            turns: ("plan" | "build")[];
            /** @description Whether you say that it changes nothing, wherever it is. Only such a one is for turns that plan; nothing checks it. */
            read_only: boolean;
            /** @description Whether agents of the project may reach its host; otherwise they are not given it. Absent for a command. */
            host_allowed?: boolean;
            /** Format: date-time */
            updated_at: string;
            /** Format: uuid */
            updated_by_user_id: string;
        };
        RepositoryImport: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            repository_id: string;
            url: string;
            /** @enum {string} */
            state: "queued" | "running" | "done" | "failed";
            /**
             * @description What a worker does now, while it is `running`. Until `placing` it can be cancelled.
             * @enum {string}
             */
            phase?: "connecting" | "receiving" | "checking" | "placing";
            /** @description How much has been received, in this attempt. */
            received_bytes: number;
            /** @description The default branch of what was imported. */
            default_branch?: string;
            /** @description How many branches were imported. */
            branches?: number;
            /** @description How many tags were imported. */
            tags?: number;
            /** @description How many branches were not imported, because their names begin with `task/`, as those of tasks do, or cannot be shown. */
            left_out?: number;
            /** @description Whether the default branch has files in Git LFS. */
            lfs?: boolean;
            /** @description What was not imported and should be known. */
            notice?: string;
            /** @description Why it has failed. */
            failure_code?: string;
            /** @description The same as a sentence, with what to do next. */
            failure_message?: string;
            /** Format: uuid */
            requested_by_user_id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            ended_at?: string;
        };
        RepositoryImportState: {
            /** @description Whether the repository holds nothing but the first commit of this server, so that it can be imported into, and takes one push of any history to its default branch. Absent where this server does not have the repository. */
            takes_history?: boolean;
            import?: components["schemas"]["RepositoryImport"];
        };
        Task: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            project_id: string;
            /** @description What the task is about, in a line. */
            title: string;
            /**
             * @description `ready`: nothing is running or waiting. `awaiting_approval`: for a person to approve the plan. `awaiting_answer`: for a person to answer the agent. `paused`: see `status_reason`.
             * @enum {string}
             */
            status: "queued" | "planning" | "awaiting_approval" | "building" | "awaiting_answer" | "paused" | "ready" | "failed" | "cancelled";
            /** @description Why the task is paused, such as `insufficient_funds` or `spend_cap`, or a sentence that says why it failed. Of one that is queued, why it does not begin: `no_worker`, no process carries out tasks; `worker_unable`, those that should cannot; `pods_unavailable`, they can make no pods now. It begins by itself when that has changed. */
            status_reason?: string;
            /** @description The model that works on it, one that `get_config` lists. */
            model?: string;
            /** @description The branch that it begins with and is to be merged into; left out for the default one. */
            base?: string;
            /** @description Left out until the agent has written one. */
            plan?: {
                version: number;
                approved_version?: number;
            };
            /** @description Left out until it is opened. See `get_pull_request`. */
            pull_request?: {
                number: number;
                /** @enum {string} */
                state: "open" | "merged" | "closed";
                /** @description The branch that it is to be merged into. */
                base: string;
                /**
                 * Format: date-time
                 * @description Left out until it is merged.
                 */
                merged_at?: string;
            };
            /** @description Where its agent works; left out while it has none. See `get_pod`. */
            pod?: {
                /** @enum {string} */
                state: "creating" | "running" | "paused" | "unknown" | "failed" | "destroying";
                /** @description What it is made by. */
                driver: string;
                /** @description Whether what runs in it is kept apart from the machine of the server. Left out until it is started. */
                confined?: boolean;
            };
            spend: {
                /**
                 * Format: usd
                 * @description USD that it has cost so far.
                 */
                amount: string;
                /**
                 * Format: usd
                 * @description USD that it may cost in all.
                 */
                cap?: string;
            };
            /** @description The routine that began it; left out for tasks that people began. */
            routine?: {
                /** Format: uuid */
                id: string;
                name: string;
            };
            /** Format: uuid */
            created_by_user_id: string;
            /** @description Whether the task is left out of lists. */
            archived: boolean;
            /**
             * Format: date-time
             * @description When messages, texts of plans, comments and questions were removed because the task had been archived for long: see `retention` of `get_config`.
             */
            conversation_removed_at?: string;
            /** @description How many attachments and artifacts were removed so. */
            files_removed?: number;
            /** Format: date-time */
            files_removed_at?: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The operations on this object that the caller may call now. */
            available_actions: string[];
        };
        FoundTask: {
            /** Format: uuid */
            task_id: string;
            /** @description What the task is about. */
            title: string;
            /**
             * @description As `get_task` shows it.
             * @enum {string}
             */
            status: "queued" | "planning" | "awaiting_approval" | "building" | "awaiting_answer" | "paused" | "ready" | "failed" | "cancelled";
            /** @description Whether lists leave out the task, or its project. */
            archived: boolean;
            /** Format: uuid */
            project_id: string;
            /** @description The project of the task. */
            project_name: string;
            /**
             * Format: uuid
             * @description The workspace of the project, if it has one.
             */
            organization_id?: string;
            /**
             * @description Where the words are.
             * @enum {string}
             */
            found_in: "title" | "message";
            /** @description The last message that has the words. */
            message_number?: number;
            /** @description Some of that message, where the first word is. */
            excerpt?: string;
            /** Format: date-time */
            updated_at: string;
        };
        TaskWithPosition: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            project_id: string;
            /** @description What the task is about, in a line. */
            title: string;
            /**
             * @description `ready`: nothing is running or waiting. `awaiting_approval`: for a person to approve the plan. `awaiting_answer`: for a person to answer the agent. `paused`: see `status_reason`.
             * @enum {string}
             */
            status: "queued" | "planning" | "awaiting_approval" | "building" | "awaiting_answer" | "paused" | "ready" | "failed" | "cancelled";
            /** @description Why the task is paused, such as `insufficient_funds` or `spend_cap`, or a sentence that says why it failed. Of one that is queued, why it does not begin: `no_worker`, no process carries out tasks; `worker_unable`, those that should cannot; `pods_unavailable`, they can make no pods now. It begins by itself when that has changed. */
            status_reason?: string;
            /** @description The model that works on it, one that `get_config` lists. */
            model?: string;
            /** @description The branch that it begins with and is to be merged into; left out for the default one. */
            base?: string;
            /** @description Left out until the agent has written one. */
            plan?: {
                version: number;
                approved_version?: number;
            };
            /** @description Left out until it is opened. See `get_pull_request`. */
            pull_request?: {
                number: number;
                /** @enum {string} */
                state: "open" | "merged" | "closed";
                /** @description The branch that it is to be merged into. */
                base: string;
                /**
                 * Format: date-time
                 * @description Left out until it is merged.
                 */
                merged_at?: string;
            };
            /** @description Where its agent works; left out while it has none. See `get_pod`. */
            pod?: {
                /** @enum {string} */
                state: "creating" | "running" | "paused" | "unknown" | "failed" | "destroying";
                /** @description What it is made by. */
                driver: string;
                /** @description Whether what runs in it is kept apart from the machine of the server. Left out until it is started. */
                confined?: boolean;
            };
            spend: {
                /**
                 * Format: usd
                 * @description USD that it has cost so far.
                 */
                amount: string;
                /**
                 * Format: usd
                 * @description USD that it may cost in all.
                 */
                cap?: string;
            };
            /** @description The routine that began it; left out for tasks that people began. */
            routine?: {
                /** Format: uuid */
                id: string;
                name: string;
            };
            /** Format: uuid */
            created_by_user_id: string;
            /** @description Whether the task is left out of lists. */
            archived: boolean;
            /**
             * Format: date-time
             * @description When messages, texts of plans, comments and questions were removed because the task had been archived for long: see `retention` of `get_config`.
             */
            conversation_removed_at?: string;
            /** @description How many attachments and artifacts were removed so. */
            files_removed?: number;
            /** Format: date-time */
            files_removed_at?: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The operations on this object that the caller may call now. */
            available_actions: string[];
            /** @description The last event of the task when it was read, 0 before the first. Left out while the event log cannot be read. */
            as_of_seq?: number;
        };
        TaskPerson: {
            /** Format: uuid */
            user_id: string;
            /** @description Their name, or their address if they have not given one. */
            name: string;
            /** @description Whether they are a member of the workspace of the project now. */
            is_org_member: boolean;
        };
        TaskDiff: {
            /** Format: uuid */
            task_id: string;
            /** @description The branch of the task. */
            branch: string;
            /** @description The commit that the branch began with; of what was merged, the one before the merge. */
            base?: string;
            /** @description The last commit of the branch, left out before its first; of what was merged, the one that has it. */
            head?: string;
            /** @description Whether this is what was merged. It stays after the branch was deleted, until the branch has further changes. */
            merged: boolean;
            files_changed: number;
            /** @description Of all files. */
            additions: number;
            /** @description Of all files. */
            deletions: number;
            /** @description Whether `files` has only the first 3,000 of them. */
            truncated: boolean;
            files: {
                path: string;
                /** @description What a renamed file was called. */
                old_path?: string;
                /** @enum {string} */
                status: "added" | "modified" | "deleted" | "renamed" | "type_changed";
                /** @description Lines; left out for a binary file. */
                additions?: number;
                /** @description Lines; left out for a binary file. */
                deletions?: number;
                binary: boolean;
                /** @description As git writes it: `100644`, `100755` for a program, `120000` for a link. */
                old_mode?: string;
                /** @description The same after the change. */
                new_mode?: string;
                /** @description Bytes of a binary file before the change. */
                old_size?: number;
                /** @description Bytes of a binary file after the change. */
                new_size?: number;
            }[];
            /** @description What the branch has and the base does not, newest first; the first 100. */
            commits?: {
                id: string;
                /** @description The first line of its message. */
                title: string;
                /** @description The name that the commit has. */
                author: string;
                /** Format: date-time */
                authored_at: string;
            }[];
        };
        DiffComment: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            task_id: string;
            /** @description On whose files it was written. */
            commit: string;
            path: string;
            /**
             * @description Of the difference: before the task, or with it.
             * @enum {string}
             */
            side: "old" | "new";
            /** @description The first line of several; left out for a comment on one. */
            start_line?: number;
            /** @description The last line, in that file, from 1. */
            line: number;
            /** @description The last line as its author saw it. */
            line_text: string;
            /**
             * @description Only in the list, and where this server can tell: whether the line is where it was in the newest commit of the task, at `current_line`, or gone.
             * @enum {string}
             */
            place?: "kept" | "moved" | "outdated";
            /** @description Where the line is now; as `place`. */
            current_line?: number;
            text: string;
            /** @description Whether nothing is left to do about it. */
            resolved: boolean;
            /** Format: date-time */
            resolved_at?: string;
            /** Format: uuid */
            resolved_by_user_id?: string;
            /** @description The message that told it to the agent; left out until it is sent. */
            message_number?: number;
            /** Format: uuid */
            author_user_id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Message: {
            /** @description Its place in the conversation. Deleted ones leave a gap. */
            number: number;
            /** Format: uuid */
            task_id: string;
            /** @enum {string} */
            role: "user" | "agent";
            /**
             * Format: uuid
             * @description The person who wrote it; left out for the agent, and for people whom only another host knows.
             */
            author_user_id?: string;
            /** @description Who wrote it on GitHub. Without `author_user_id`, it is of someone whose account there is linked to no account here. */
            github_login?: string;
            /** @description Who wrote it on the Gitea or Forgejo server of the repository; accounts there are linked to none here. */
            gitea_login?: string;
            /**
             * @description `queued`: the agent has not read it yet, and it can be deleted. `cancelled`: the task was cancelled before the agent read it.
             * @enum {string}
             */
            status: "queued" | "cancelled" | "sent";
            text: string;
            /** @description What was sent with it, unless it was deleted since. */
            attachments: {
                /** Format: uuid */
                id: string;
                name: string;
                media_type: string;
                /** @description Bytes. */
                size: number;
            }[];
            /** Format: date-time */
            created_at: string;
            /** @description The operations on this object that the caller may call now. */
            available_actions: string[];
        };
        Pod: {
            /** Format: uuid */
            task_id: string;
            /**
             * @description `absent`: the task has none, or has none any more. `paused`: nothing runs in it, and its files are kept. `unknown`: it does not answer.
             * @enum {string}
             */
            state: "creating" | "running" | "paused" | "unknown" | "failed" | "destroying" | "absent";
            /**
             * @description What someone has asked for, until a worker has seen to it.
             * @enum {string}
             */
            wanted?: "running" | "paused";
            /** Format: uuid */
            id?: string;
            /** @description What it is made by. */
            driver?: string;
            /** @description What confines its processes, as a sentence. */
            isolation?: string;
            /** @description Why it has failed, also once it is gone, or what it waits for, as a sentence. */
            reason?: string;
            /** @description How many pods the task has had with it. */
            generation?: number;
            /** Format: date-time */
            created_at?: string;
            /**
             * Format: date-time
             * @description When it was last started.
             */
            started_at?: string;
            /**
             * Format: date-time
             * @description When it is removed, unless it is used before; work is kept.
             */
            expires_at?: string;
        };
        TaskTurn: {
            /** @description Its place among the turns of the task. */
            number: number;
            /**
             * @description `plan`: the agent writes or revises the plan. `build`: it builds an approved version. `prompt`: it answers a message after that.
             * @enum {string}
             */
            kind: "plan" | "build" | "prompt";
            /** @description The version that a build turn builds. */
            plan_version?: number;
            /**
             * @description `waiting`: for a person to answer the agent. `interrupted`: it goes on with another worker.
             * @enum {string}
             */
            state: "queued" | "running" | "waiting" | "done" | "failed" | "cancelled" | "interrupted";
            /**
             * Format: uuid
             * @description Who asked for it.
             */
            requested_by_user_id?: string;
            /** @description The name of that person as it is now. */
            requested_by_name?: string;
            /** @description USD that it has cost so far, exact: 2 to 9 decimals. */
            amount: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            started_at?: string;
            /** Format: date-time */
            ended_at?: string;
        };
        PlanEstimate: {
            /** Format: uuid */
            task_id: string;
            /**
             * @description Whose build turns were counted: those of the `project`; where it has none with this model, those of all projects of the same workspace or person (`account`). `no_history`: there are none, and `billing_off`: none were charged, so the amounts are null.
             * @enum {string}
             */
            basis: "project" | "account" | "no_history" | "billing_off";
            /** @description How many turns, of at most the newest 200. */
            count: number;
            /** @description What the build would use. */
            model: string | null;
            /** @description USD. A fifth of them cost no more. */
            low: string | null;
            /** @description USD. Half of them cost no more. */
            likely: string | null;
            /** @description USD. Nine of ten cost no more. */
            high: string | null;
            /** @description USD that the workspace or person can spend now. */
            available: string | null;
            /** @description USD that the task has cost so far. */
            spent: string;
            /** @description USD that the task may cost in all; null without a cap. */
            cap: string | null;
            /** @description USD: `spent` and `high`, to the next cent. */
            suggested_cap: string | null;
        };
        AgentRequest: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            task_id: string;
            /**
             * @description `permission`: to do what `title` says.
             * @enum {string}
             */
            kind: "question" | "permission";
            title: string;
            /** @description What can be answered; if there is nothing here, any text. */
            options: {
                id: string;
                name: string;
            }[];
            /**
             * @description `withdrawn`: the agent needs no answer any more.
             * @enum {string}
             */
            status: "open" | "answered" | "withdrawn";
            answer?: {
                option_id?: string;
                text?: string;
            };
            /** Format: uuid */
            answered_by_user_id?: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            ended_at?: string;
            /** @description The operations on this object that the caller may call now. */
            available_actions: string[];
        };
        TaskEvent: {
            /** @description Counts the events of the task from 1, without a gap. */
            seq: number;
            /** @description What happened: `status`, `message`, `thought`, `tool_call`, `tool_call_update`, `todo`, `plan`, `request`, `request_answered`, `usage`, `turn_started`, `turn_ended`, `commit`, `artifact`, `notice`, `setup`, `network`, `erp_call`, `odoo_instance`, and what happens to its code: `pull_request`, `checks`, `check`, `fix_checks`, `merge`, `deploy`. Ignore others, which later versions may add. */
            type: string;
            /** Format: uuid */
            turn_id?: string;
            /** Format: date-time */
            created_at: string;
            /** @description Depends on the type. One of more than 256 KB is `{"omitted": "too_large", "bytes": …}`. */
            payload: unknown;
        };
        TaskChange: {
            /** Format: uuid */
            task_id: string;
            /** Format: uuid */
            project_id: string;
            /**
             * Format: date-time
             * @description When the task changed last; what it costs, its plan and its pull request change without it. Left out for a task that was deleted.
             */
            updated_at?: string;
        };
        Plan: {
            /** Format: uuid */
            task_id: string;
            version: number;
            approved_version?: number;
            /** @description Markdown; empty once it was removed. */
            text: string;
            /**
             * Format: date-time
             * @description When the text was removed because the task had been archived for long; `sha256` is that of the text still.
             */
            text_removed_at?: string;
            /** @description Of the text in UTF-8, in hexadecimal digits. */
            sha256: string;
            /** @enum {string} */
            author: "agent" | "person";
            /**
             * Format: uuid
             * @description The person who wrote this version.
             */
            author_user_id?: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            approved_at?: string;
            /**
             * Format: uuid
             * @description Left out where a policy approved.
             */
            approved_by_user_id?: string;
            /**
             * @description Who approved: a `person`, or the `policy` of a project that approves plans automatically.
             * @enum {string}
             */
            approval_source?: "person" | "policy";
            /** @description The operations on this object that the caller may call now. */
            available_actions: string[];
        };
        PlanVersionListed: {
            /** Format: uuid */
            task_id: string;
            version: number;
            /** @description Of the text in UTF-8, in hexadecimal digits. */
            sha256: string;
            /** @enum {string} */
            author: "agent" | "person";
            /**
             * Format: uuid
             * @description The person who wrote this version.
             */
            author_user_id?: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            approved_at?: string;
            /**
             * Format: uuid
             * @description Left out where a policy approved.
             */
            approved_by_user_id?: string;
            /**
             * @description Who approved: a `person`, or the `policy` of a project that approves plans automatically.
             * @enum {string}
             */
            approval_source?: "person" | "policy";
        };
        PlanVersion: {
            /** Format: uuid */
            task_id: string;
            version: number;
            /** @description Markdown; empty once it was removed. */
            text: string;
            /**
             * Format: date-time
             * @description When the text was removed because the task had been archived for long; `sha256` is that of the text still.
             */
            text_removed_at?: string;
            /** @description Of the text in UTF-8, in hexadecimal digits. */
            sha256: string;
            /** @enum {string} */
            author: "agent" | "person";
            /**
             * Format: uuid
             * @description The person who wrote this version.
             */
            author_user_id?: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            approved_at?: string;
            /**
             * Format: uuid
             * @description Left out where a policy approved.
             */
            approved_by_user_id?: string;
            /**
             * @description Who approved: a `person`, or the `policy` of a project that approves plans automatically.
             * @enum {string}
             */
            approval_source?: "person" | "policy";
        };
        PlanDiff: {
            /** Format: uuid */
            task_id: string;
            from: number;
            to: number;
            /** @description Lines. */
            added: number;
            removed: number;
            /** @description In the unified format, of a file `plan.md`; empty if nothing differs. */
            unified: string;
            hunks: {
                /** @description From 1; the line before, if there are no old lines. */
                old_start: number;
                old_lines: number;
                new_start: number;
                new_lines: number;
                lines: {
                    /** @enum {string} */
                    change: "same" | "removed" | "added";
                    /** @description Without its line feed. */
                    text: string;
                    /** @description True on the last line of a text that has no line feed at its end. */
                    no_newline?: boolean;
                }[];
            }[];
        };
        PlanComment: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            task_id: string;
            /** @description The version that it was made on. */
            version: number;
            /** @description In that version, from 1. */
            start_line: number;
            /** @description The last line that it is about. */
            end_line: number;
            /**
             * @description What became of the lines in the current version of the plan: the same place, another one, or they were changed since.
             * @enum {string}
             */
            place: "kept" | "moved" | "outdated";
            /** @description In the current version; left out if outdated. */
            current_start_line?: number;
            /** @description In the current version; left out if outdated. */
            current_end_line?: number;
            text: string;
            /** @description Whether nothing is left to do about it. */
            resolved: boolean;
            /** Format: date-time */
            resolved_at?: string;
            /** Format: uuid */
            resolved_by_user_id?: string;
            /** Format: uuid */
            author_user_id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Routine: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            project_id: string;
            name: string;
            /** @description The message that each task begins with. Fields are filled in: `{{date}}` and `{{time}}` always; `{{body}}`, what a call has sent; `{{issue.number}}`, `{{issue.title}}`, `{{issue.body}}`, `{{issue.url}}` and `{{issue.author}}` of a label or a mention; and `{{comment.body}}` and `{{comment.author}}` of a mention. */
            message: string;
            title?: string;
            model?: string;
            /**
             * Format: usd
             * @description USD that each task may cost.
             */
            spend_cap?: string;
            /**
             * Format: uuid
             * @description Whose tasks they are: a person, or a service account of the workspace.
             */
            on_behalf_of_user_id: string;
            on_behalf_of_name?: string;
            /**
             * @description `schedule`: at the times of `schedule`. `call`: a POST with its token to its `call_path`. `label`: an issue of a repository of the project on GitHub gets the label `label`, by someone who may write to it. `mention`: someone who may write to it mentions the App in a comment on an issue.
             * @enum {string}
             */
            starts_by: "schedule" | "call" | "label" | "mention";
            schedule?: string;
            time_zone?: string;
            /**
             * Format: date-time
             * @description When it begins next; left out while it is paused.
             */
            next_at?: string;
            /** @description The path of this server that calls it. */
            call_path?: string;
            label?: string;
            /** @description Tasks that it may begin in an hour. */
            per_hour: number;
            /** @description Tasks of it that may be at work at once. */
            at_once: number;
            /** @description Whether it begins anything. */
            enabled: boolean;
            /**
             * @description Why the server paused it: three runs in a row have failed, or the person or service account may begin tasks here no more. Absent when a person did.
             * @enum {unknown}
             */
            paused_reason?: "failing" | "right_ended";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        RoutineWithToken: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            project_id: string;
            name: string;
            /** @description The message that each task begins with. Fields are filled in: `{{date}}` and `{{time}}` always; `{{body}}`, what a call has sent; `{{issue.number}}`, `{{issue.title}}`, `{{issue.body}}`, `{{issue.url}}` and `{{issue.author}}` of a label or a mention; and `{{comment.body}}` and `{{comment.author}}` of a mention. */
            message: string;
            title?: string;
            model?: string;
            /**
             * Format: usd
             * @description USD that each task may cost.
             */
            spend_cap?: string;
            /**
             * Format: uuid
             * @description Whose tasks they are: a person, or a service account of the workspace.
             */
            on_behalf_of_user_id: string;
            on_behalf_of_name?: string;
            /**
             * @description `schedule`: at the times of `schedule`. `call`: a POST with its token to its `call_path`. `label`: an issue of a repository of the project on GitHub gets the label `label`, by someone who may write to it. `mention`: someone who may write to it mentions the App in a comment on an issue.
             * @enum {string}
             */
            starts_by: "schedule" | "call" | "label" | "mention";
            schedule?: string;
            time_zone?: string;
            /**
             * Format: date-time
             * @description When it begins next; left out while it is paused.
             */
            next_at?: string;
            /** @description The path of this server that calls it. */
            call_path?: string;
            label?: string;
            /** @description Tasks that it may begin in an hour. */
            per_hour: number;
            /** @description Tasks of it that may be at work at once. */
            at_once: number;
            /** @description Whether it begins anything. */
            enabled: boolean;
            /**
             * @description Why the server paused it: three runs in a row have failed, or the person or service account may begin tasks here no more. Absent when a person did.
             * @enum {unknown}
             */
            paused_reason?: "failing" | "right_ended";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description Of one that is called. It is shown in this answer and never again. */
            token?: string;
        };
        RoutineRun: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            routine_id: string;
            /**
             * @description `person`: by `run_routine`.
             * @enum {unknown}
             */
            started_by: "schedule" | "call" | "label" | "mention" | "person";
            /**
             * @description `waiting`: it begins within seconds. `begun`: its task is at work. `done`: the task came to rest, such as with a plan to approve. `skipped` and `failed`: see `reason`.
             * @enum {unknown}
             */
            state: "waiting" | "begun" | "done" | "skipped" | "failed";
            /** @description Of one that was skipped: `too_many_this_hour`, `too_many_at_once`, `paused` or `project_archived`. Of one that has failed: `right_ended`, `model_not_offered`, `message_empty`, `task_failed` or `internal_error`. */
            reason?: string;
            /**
             * Format: uuid
             * @description The task that it has begun.
             */
            task_id?: string;
            /** Format: date-time */
            scheduled_for?: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            ended_at?: string;
        };
        GitHubInstallation: {
            /** @description The number that GitHub gave the installation. */
            id: number;
            account: {
                login: string;
                /** @enum {string} */
                type: "User" | "Organization" | "Enterprise";
            };
            /**
             * @description Whether it has every repository of the account.
             * @enum {string}
             */
            repository_selection: "all" | "selected";
            /** @description A suspended one cannot be used until its account unsuspends it. */
            suspended: boolean;
            /** @description What the App may do there, by name: `read`, `write` or `admin`. */
            permissions: {
                [key: string]: string;
            };
            /** Format: date-time */
            looked_at: string;
        };
        GitHubRepository: {
            /** @description The number that GitHub gave the repository. */
            id: number;
            /** @description For `attach_repository`. */
            full_name: string;
            default_branch: string;
            private: boolean;
            /** @description An archived one cannot be pushed to. */
            archived: boolean;
            /** @description Its page on GitHub. */
            url: string;
        };
        GiteaConnection: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            /** @description Where the server is, such as `https://git.example.com`, without a login. */
            url: string;
            /** @description Whose the token is there: whom people mention in a review or a comment that an agent is to read. Left out until the server has said so, within minutes, and while the token lacks the scope `read:user`. */
            account_login?: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When its token was set last.
             */
            updated_at: string;
        };
        PullRequest: {
            /** Format: uuid */
            task_id: string;
            /** @description Counted within the repository. */
            number: number;
            /** @enum {string} */
            state: "open" | "merged" | "closed";
            title: string;
            /** @description Markdown: the approved plan, of which at most 65,536 characters. */
            body: string;
            /** @description The branch that it is to be merged into. */
            base: string;
            /** @description The last commit of `head`: name it as `expected_head_sha` to merge it. */
            head_sha?: string;
            checks: {
                /**
                 * @description `none`: the commit has none. `pending`: not all of them have ended.
                 * @enum {string}
                 */
                state: "none" | "pending" | "passed" | "failed";
                passed: number;
                failed: number;
                pending: number;
            };
            /**
             * Format: uri
             * @description Where it is shown.
             */
            url: string;
            /** Format: uuid */
            opened_by_user_id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The operations on this object that the caller may call now. */
            available_actions: string[];
            /** @description The branch of the task. */
            head: string;
            /** @description The last commit of `base`. */
            base_sha?: string;
            /** @description Whether it can be merged: without conflicts, and with no more files together than a branch may have. `unknown` when it is not open, when the branch of the task does not exist, and where comparing takes too long. Only `get_pull_request` compares the branches. */
            mergeable: boolean | "unknown";
            /** @description Paths in conflict, at most 100. */
            conflicts: string[];
            /** @description Why it cannot be merged and what to do, as the merge would say it. Absent where it can be, where that is not known, and on other hosts. */
            not_mergeable_reason?: string;
        };
        TaskMergeTarget: {
            branch: string;
            /** @enum {string} */
            stage: "staging" | "production";
            /** @description Whether the pull request of the task is to be merged into it. */
            is_base: boolean;
            /** @description Whether the caller may merge the task into it now. */
            can_merge: boolean;
            /**
             * @description Why not. `not_permitted`: ask an owner, an admin or a team that may. `checks_not_passed`: owners and admins may merge with `force`.
             * @enum {string}
             */
            reason?: "no_pull_request" | "pull_request_not_open" | "project_archived" | "not_permitted" | "checks_not_passed";
        };
        Check: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            state: "queued" | "in_progress" | "completed";
            /**
             * @description `success`, `neutral` and `skipped` do not stand in the way of a merge.
             * @enum {string}
             */
            conclusion?: "success" | "failure" | "neutral" | "cancelled" | "skipped" | "timed_out" | "action_required" | "stale" | "startup_failure";
            /** @description Why it waits, as a sentence. */
            reason?: string;
            /** @description Where another code host shows it. */
            details_url?: string;
            /** @description Of tests of Odoo modules: those that have failed, at most 50. */
            failures?: {
                /** @description As `TestBook.test_long`. */
                test: string;
                /** @description Where in the repository, with the line. */
                file?: string;
                /** @description The end of its traceback. */
                text: string;
            }[];
            /** Format: date-time */
            started_at?: string;
            /** Format: date-time */
            completed_at?: string;
        };
        Merge: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            task_id: string;
            /**
             * @description `queued`: a worker carries it out.
             * @enum {string}
             */
            state: "queued" | "merged" | "failed";
            /** @description Why it waits, as a sentence. */
            reason?: string;
            branch: string;
            /** @enum {string} */
            stage: "staging" | "production";
            /** @enum {string} */
            method: "merge" | "squash";
            /** @description The last commit of the task, which the caller had seen. */
            head_sha: string;
            /** @description Whether it was asked for although checks had not passed. */
            forced: boolean;
            /** @description The commit on the branch that has the changes of the task. */
            merge_commit_sha?: string;
            failure?: {
                code: string;
                /** @description A sentence that says what to do. */
                message: string;
            };
            /** Format: uuid */
            requested_by_user_id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            ended_at?: string;
        };
        Deploy: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            project_id: string;
            /** Format: uuid */
            repository_id: string;
            /**
             * Format: uuid
             * @description The task that was merged; left out if it was deleted.
             */
            task_id?: string;
            /**
             * Format: uuid
             * @description Who merged it; left out if the task was deleted.
             */
            merged_by_user_id?: string;
            branch: string;
            /** @enum {string} */
            stage: "staging" | "production";
            /** @description The commit of the branch that is deployed. */
            commit_sha: string;
            /**
             * @description `warning`: deployed, with something to look at. `superseded`: a newer commit of the branch is deployed instead.
             * @enum {string}
             */
            state: "queued" | "running" | "success" | "warning" | "failed" | "superseded";
            /** @description Why it is in this state, as a sentence. */
            reason?: string;
            /** @description Whether a command was begun. False where `.guildhall.yml` has none for the stage. Left out before it has ended, and for those of a code host. */
            command_run?: boolean;
            /**
             * Format: uri
             * @description Where the code host shows it.
             */
            url?: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            started_at?: string;
            /** Format: date-time */
            ended_at?: string;
        };
        Attachment: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            project_id: string;
            /**
             * Format: uuid
             * @description Left out until a task has taken it.
             */
            task_id?: string;
            /** @description The message that it was sent with, if any. */
            message_number?: number;
            name: string;
            /** @description From the bytes, not from what their sender said. */
            media_type: string;
            /** @description Bytes. */
            size: number;
            /** @description Of the bytes. */
            sha256: string;
            /** Format: uuid */
            uploaded_by_user_id: string;
            /** Format: date-time */
            created_at: string;
        };
        Artifact: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            task_id: string;
            /**
             * Format: uuid
             * @description The turn of the agent that produced it.
             */
            turn_id: string;
            /** @description Where the agent wrote it, relative to its folder. */
            path: string;
            /** @description The last part of the path. */
            name: string;
            /** @description From the bytes, not from what their sender said. */
            media_type: string;
            /** @description Bytes. */
            size: number;
            /** @description Of the bytes. */
            sha256: string;
            /** Format: date-time */
            created_at: string;
        };
        SavedCard: {
            id: string;
            brand: string;
            last4: string;
            exp_month?: number;
            /** @description Both are left out of cards saved before they were recorded. */
            exp_year?: number;
            /** @description The month of its expiry is over (UTC). */
            expired: boolean;
            /** @description The card that was last made the default; until then the one saved first. */
            is_default: boolean;
            /** @description The workspaces whose owner and admins see it. */
            shared_with: string[];
            /** Format: date-time */
            created_at: string;
        };
        BegunCardSetup: {
            /** Format: uuid */
            id: string;
            /**
             * @description `open` until the processor has the card.
             * @enum {string}
             */
            status: "open" | "succeeded" | "failed";
            /** @description The saved card, once it has succeeded. */
            payment_method_id?: string;
            /**
             * @description `canceled`: it was not completed within 24 hours.
             * @enum {string}
             */
            failure_code?: "canceled" | "card_removed" | "card_of_another_person" | "too_many_cards";
            /** Format: date-time */
            created_at: string;
            /** @description For Stripe's script, which completes the attempt with it. */
            client_secret?: string;
            /** @description For Stripe's script. */
            publishable_key?: string;
        };
        CardSetup: {
            /** Format: uuid */
            id: string;
            /**
             * @description `open` until the processor has the card.
             * @enum {string}
             */
            status: "open" | "succeeded" | "failed";
            /** @description The saved card, once it has succeeded. */
            payment_method_id?: string;
            /**
             * @description `canceled`: it was not completed within 24 hours.
             * @enum {string}
             */
            failure_code?: "canceled" | "card_removed" | "card_of_another_person" | "too_many_cards";
            /** Format: date-time */
            created_at: string;
        };
        SharedCard: {
            id: string;
            brand: string;
            last4: string;
            exp_month?: number;
            /** @description Both are left out of cards saved before they were recorded. */
            exp_year?: number;
            /** @description The month of its expiry is over (UTC). */
            expired: boolean;
            /** Format: uuid */
            user_id: string;
            /** @description The person whose card it is. */
            name?: string;
            /** Format: date-time */
            shared_at: string;
        };
        AttendedTopUp: {
            /** Format: uuid */
            id: string;
            /**
             * Format: usd
             * @description USD
             */
            amount: string;
            /**
             * @description `requires_action`: the cardholder has to confirm it. `processing`: the outcome is not known yet. `canceled`: nothing was charged; only `cancel_top_up` answers so.
             * @enum {string}
             */
            status: "requires_action" | "processing" | "succeeded" | "canceled";
            /**
             * Format: usd
             * @description USD, right after this credit. Left out for a caller who may not see the billing of the balance any more.
             */
            new_balance?: string;
            /**
             * Format: date-time
             * @description The charge is cancelled if it is not confirmed by then.
             */
            confirm_until?: string;
            /** @description For Stripe's script, with which the cardholder confirms it. */
            client_secret?: string;
            /** @description For Stripe's script. */
            publishable_key?: string;
        };
        Transaction: {
            /** Format: uuid */
            id: string;
            kind: string;
            /**
             * Format: usd
             * @description USD
             */
            amount: string;
            /**
             * Format: usd
             * @description USD
             */
            balance: string;
            reference_type: string;
            /** Format: uuid */
            reference_id: string;
            /** Format: date-time */
            created_at: string;
        };
        BillingDetails: {
            /** @description Whether each invoice and credit note is sent by mail. */
            mail_receipts: boolean;
            name?: string;
            /** @description The lines below the name, without the country. */
            address?: string[];
            /** @description ISO 3166-1 alpha-2. */
            country?: string;
            /** @description For example a VAT number. */
            tax_id?: string;
            /**
             * Format: email
             * @description Where receipts go; without it, to the person who pays.
             */
            email?: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Invoice: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "invoice" | "credit_note" | "debit_note";
            number: string;
            /** Format: date-time */
            issued_at: string;
            /**
             * Format: date-time
             * @description When the balance was credited or debited.
             */
            charged_at: string;
            /** Format: uuid */
            top_up_id: string;
            /** @description Of a note: the number of its invoice. */
            invoice_number?: string;
            /**
             * Format: usd
             * @description USD, with tax.
             */
            total: string;
            /**
             * Format: usd
             * @description USD, without tax.
             */
            net: string;
            /**
             * Format: usd
             * @description USD
             */
            tax: string;
            /** @description In percent. */
            tax_rate: string;
            tax_name: string;
            /** @description Why there is no tax. */
            tax_note?: string;
            customer: {
                name: string;
                address: string[];
                country?: string;
                tax_id?: string;
                email?: string;
            };
            issuer: {
                name: string;
                address: string[];
                country?: string;
                tax_id?: string;
                email?: string;
            };
            card_brand: string;
            card_last4: string;
            /** @description Of the sandbox, which moves no money. */
            is_test: boolean;
        };
        SpendLimit: {
            /** Format: uuid */
            id: string;
            /** @enum {unknown} */
            subject: "balance" | "project" | "member" | "task";
            /**
             * Format: uuid
             * @description The project, person or task; none for the whole balance.
             */
            subject_id?: string;
            subject_name?: string;
            /** @description USD per calendar month (UTC). */
            amount: string;
            /** @description USD so far this month, rounded up to the millionth of a dollar. */
            spent: string;
            /** @description What part of the amount was spent. */
            share: number;
            /**
             * @description `warned` from four fifths on; `reached`: its tasks pause.
             * @enum {unknown}
             */
            state: "ok" | "warned" | "reached";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Usage: {
            /** Format: date */
            from: string;
            /** Format: date */
            to: string;
            total: {
                /** @description USD, exact: 2 to 9 decimals. */
                amount: string;
                /** @description Tokens that models read, with those of caches. */
                input_tokens: number;
                /** @description Tokens that models wrote. */
                output_tokens: number;
                /** @description Seconds in which pods and ERP instances ran. */
                pod_seconds: number;
                /** @description The lines of usage that this sums up. */
                lines: number;
            };
            groups: {
                /**
                 * Format: date
                 * @description In UTC.
                 */
                day?: string;
                /**
                 * Format: uuid
                 * @description Missing if the usage was of no task.
                 */
                task_id?: string;
                /** @description Missing if the caller cannot open it, or it was deleted. */
                task_title?: string;
                /**
                 * Format: uuid
                 * @description Also of a task.
                 */
                project_id?: string;
                /** @description Missing if the caller cannot open it, or it was deleted. */
                project_name?: string;
                /**
                 * Format: uuid
                 * @description The workspace that paid; missing if a person did.
                 */
                organization_id?: string;
                /** @description Missing if the caller is no member, or it was deleted. */
                organization_name?: string;
                /**
                 * Format: uuid
                 * @description Who asked for it.
                 */
                user_id?: string;
                /** @description As it is now. */
                user_name?: string;
                /** @description As the catalog names it; missing where none was used. */
                model?: string;
                /** @description USD, exact: 2 to 9 decimals. */
                amount: string;
                /** @description Tokens that models read, with those of caches. */
                input_tokens: number;
                /** @description Tokens that models wrote. */
                output_tokens: number;
                /** @description Seconds in which pods and ERP instances ran. */
                pod_seconds: number;
                /** @description The lines of usage that this sums up. */
                lines: number;
            }[];
        };
        OdooProbe: {
            /** @description The server has answered, whatever it said. */
            reachable: boolean;
            /** @description It did so with TLS and a certificate that is trusted. */
            tls: boolean;
            /** @description Such as `18.0`, or `saas~18.2` on Odoo Online. */
            server_version?: string;
            /**
             * @description `unknown` where only an administrator could learn it.
             * @enum {string}
             */
            edition: "community" | "enterprise" | "unknown";
            /** @description The database that was used: the only one, or the one named. */
            database?: string;
            /** @description What databases there are, if the server lists them; at most 100. */
            databases?: string[];
            /** @description The login works. False if none was tried. */
            login_ok: boolean;
            /** @description The id of the user there. */
            uid?: number;
            /**
             * @description What the login may do: `admin` may change the settings, `write` may change contacts, `read` may only read some records, `none` cannot sign in.
             * @enum {string}
             */
            access: "none" | "read" | "write" | "admin";
            /** @description How long the first answer took, in milliseconds. */
            latency_ms?: number;
            /**
             * Format: date-time
             * @description When the next of the API keys of this user expires.
             */
            expires_at?: string;
            /**
             * @description What is wrong; absent if nothing is.
             * @enum {string}
             */
            code?: "refused" | "timeout" | "tls_untrusted" | "tls_name" | "tls_expired" | "not_odoo" | "blocked_address" | "redirected" | "database_required" | "database_unknown" | "database_down" | "bad_credentials" | "second_factor" | "api_not_allowed" | "version_mismatch" | "rate_limited";
            /** @description One sentence for people. */
            message: string;
        };
        OdooInstance: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            task_id: string;
            /**
             * @description `starting`: a worker makes it ready. `running`: agents of the task reach it. `stopping`: it is being removed. `failed`: see `reason`.
             * @enum {string}
             */
            status: "starting" | "running" | "stopping" | "failed";
            /** @description Why it has failed, or what it waits for, as a sentence. */
            reason?: string;
            /**
             * @description Why it was ended although nothing was wrong with it: the balance is used up, the account is not active, or a spend limit of the month is reached.
             * @enum {string}
             */
            reason_code?: "insufficient_funds" | "account_not_active" | "spend_limit";
            /** @description Where people reach it. Left out where only agents do, and until it is ready. */
            url?: string;
            /** @description The commit whose Odoo modules it runs. Left out where it runs none of the repository. */
            commit_sha?: string;
            /** @description The last commit of the branch, where Odoo could not install or update its modules: it then runs `commit_sha` as before. */
            broken_sha?: string;
            /** @description Why it does not run the last commit of the branch: what Odoo has said, with its traceback, or a sentence. */
            problem?: string;
            /** @description That of the project when it was started. */
            erp_version: string;
            /** @enum {string} */
            edition: "community" | "enterprise";
            /** @description The name of its database. */
            database: string;
            /**
             * @description What its database began with: `empty`, `demo` data, or the `dump` of the project, neutralised. Left out until it was ready, and where its program does not say.
             * @enum {string}
             */
            data?: "empty" | "demo" | "dump";
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was ready last.
             */
            ready_at?: string;
            /**
             * Format: date-time
             * @description When it ends with its data, unless it is used before.
             */
            expires_at: string;
        };
        OdooInstanceEntry: {
            url: string;
            /** Format: date-time */
            expires_at: string;
        };
        OdooInstanceLog: {
            /** @description The end of it, at most 64 KiB; empty before it is read. */
            text: string;
            /**
             * Format: date-time
             * @description When its worker has read it last.
             */
            updated_at?: string;
        };
        OdooInstanceMail: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            received_at: string;
            sender: string;
            recipients: string[];
            subject: string;
            /** @description Its text, at most 16,000 characters; that of its HTML, without any markup, if it has no other. */
            text: string;
        };
        OdooDump: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            project_id: string;
            /**
             * @description `preparing`: a worker restores and neutralises it, and instances wait. `ready`: instances start from it. `failed`: see `reason`; instances are refused until there is another one, or none.
             * @enum {string}
             */
            status: "preparing" | "ready" | "failed";
            /** @description Why it has failed, or what it waits for, as a sentence. */
            reason?: string;
            /** @description That of its manifest. */
            erp_version: string;
            /** @description Bytes. */
            size: number;
            /** @description Of the bytes. */
            sha256: string;
            /** @description Whether it is a copy of a production system. */
            production: boolean;
            /**
             * Format: uuid
             * @description The person who has said that a copy of a production system may be used.
             */
            approved_by_user_id?: string;
            /** Format: uuid */
            uploaded_by_user_id: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was ready last.
             */
            prepared_at?: string;
        };
        LastOdooProbe: {
            /** Format: date-time */
            probed_at: string;
            /** @description The server has answered, whatever it said. */
            reachable: boolean;
            /** @description It did so with TLS and a certificate that is trusted. */
            tls: boolean;
            /** @description Such as `18.0`, or `saas~18.2` on Odoo Online. */
            server_version?: string;
            /**
             * @description `unknown` where only an administrator could learn it.
             * @enum {string}
             */
            edition: "community" | "enterprise" | "unknown";
            /** @description The database that was used: the only one, or the one named. */
            database?: string;
            /** @description What databases there are, if the server lists them; at most 100. */
            databases?: string[];
            /** @description The login works. False if none was tried. */
            login_ok: boolean;
            /** @description The id of the user there. */
            uid?: number;
            /**
             * @description What the login may do: `admin` may change the settings, `write` may change contacts, `read` may only read some records, `none` cannot sign in.
             * @enum {string}
             */
            access: "none" | "read" | "write" | "admin";
            /** @description How long the first answer took, in milliseconds. */
            latency_ms?: number;
            /**
             * Format: date-time
             * @description When the next of the API keys of this user expires.
             */
            expires_at?: string;
            /**
             * @description What is wrong; absent if nothing is.
             * @enum {string}
             */
            code?: "refused" | "timeout" | "tls_untrusted" | "tls_name" | "tls_expired" | "not_odoo" | "blocked_address" | "redirected" | "database_required" | "database_unknown" | "database_down" | "bad_credentials" | "second_factor" | "api_not_allowed" | "version_mismatch" | "rate_limited";
            /** @description One sentence for people. */
            message: string;
        };
        OdooConnection: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            project_id: string;
            name: string;
            /** @description The address of the server, such as `https://erp.example.com`, without a login. Of the address of a page, only the server is kept. */
            url: string;
            /** @description Needed where the server has several. */
            database?: string;
            /** @description The user; an API key of Odoo 19 needs none. */
            login?: string;
            has_secret: boolean;
            /**
             * @description What the secret is. An API key can be withdrawn.
             * @enum {string}
             */
            kind: "api_key" | "password";
            /** @enum {string} */
            environment: "production" | "staging" | "development";
            /**
             * @description What agents may do there. `write` on a production database must be said in the request that makes it so: a connection that becomes `production` otherwise drops to `read`.
             * @enum {string}
             */
            agent_access: "none" | "read" | "write";
            /** @description Models, and fields as `model/field`, that agents may see, and with `write` change, although they may nowhere else: passwords, keys, rights and code. Empty unless an admin says so. Another host, and becoming `production`, empty it unless the same request has it. */
            agent_exceptions: string[];
            /** @description As the server says. */
            erp_version?: string;
            /**
             * @description As far as it can be seen.
             * @enum {string}
             */
            edition: "community" | "enterprise" | "unknown";
            /** Format: date-time */
            secret_set_at?: string;
            /**
             * Format: date-time
             * @description When the secret stops working, if that is known.
             */
            secret_expires_at?: string;
            last_probe: components["schemas"]["LastOdooProbe"];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The operations on this object that the caller may call now. */
            available_actions: string[];
        };
        TaskOdooConnection: {
            /** Format: uuid */
            connection_id: string;
            /** Format: uuid */
            task_id: string;
            name: string;
            url: string;
            /** @enum {string} */
            environment: "production" | "staging" | "development";
            /**
             * @description With `none`, its agent is refused.
             * @enum {string}
             */
            agent_access: "none" | "read" | "write";
            has_secret: boolean;
            erp_version?: string;
            /** @enum {string} */
            edition: "community" | "enterprise" | "unknown";
            /** Format: uuid */
            activated_by_user_id: string;
            /** Format: date-time */
            activated_at: string;
            /** @description The operations on this object that the caller may call now. */
            available_actions: string[];
        };
        Webhook: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description Of one of a whole workspace.
             */
            organization_id?: string;
            /**
             * Format: uuid
             * @description Of one of a project.
             */
            project_id?: string;
            name: string;
            /**
             * @description `standard`: signed by the specification of Standard Webhooks. `audit`: the same, for each row of the audit trail as it is written. `slack`, `discord`: one line of text with a link, for an incoming webhook there.
             * @enum {string}
             */
            kind: "standard" | "slack" | "discord" | "audit";
            /** @description Where events are sent. It is stored encrypted and shown without its query; that of Slack and Discord also without its path. */
            url: string;
            /** @description What it hears of. */
            event_types: string[];
            /** @description Whether it hears of anything. */
            enabled: boolean;
            /**
             * @description Why the server switched it off: it failed for three days, or answered 410. Absent when a person did.
             * @enum {unknown}
             */
            disabled_reason?: "failing" | "gone";
            /**
             * Format: date-time
             * @description Until then the secret before signs, too.
             */
            overlap_until?: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        WebhookWithSecret: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description Of one of a whole workspace.
             */
            organization_id?: string;
            /**
             * Format: uuid
             * @description Of one of a project.
             */
            project_id?: string;
            name: string;
            /**
             * @description `standard`: signed by the specification of Standard Webhooks. `audit`: the same, for each row of the audit trail as it is written. `slack`, `discord`: one line of text with a link, for an incoming webhook there.
             * @enum {string}
             */
            kind: "standard" | "slack" | "discord" | "audit";
            /** @description Where events are sent. It is stored encrypted and shown without its query; that of Slack and Discord also without its path. */
            url: string;
            /** @description What it hears of. */
            event_types: string[];
            /** @description Whether it hears of anything. */
            enabled: boolean;
            /**
             * @description Why the server switched it off: it failed for three days, or answered 410. Absent when a person did.
             * @enum {unknown}
             */
            disabled_reason?: "failing" | "gone";
            /**
             * Format: date-time
             * @description Until then the secret before signs, too.
             */
            overlap_until?: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description Verifies signatures. It is shown in this answer and never again; those of Slack and Discord have none. */
            secret?: string;
        };
        WebhookDelivery: {
            /**
             * Format: uuid
             * @description The `webhook-id` of every attempt.
             */
            id: string;
            type: string;
            /** Format: uuid */
            task_id?: string;
            /**
             * @description One that waits is tried again, or waits for an earlier one about the same task.
             * @enum {unknown}
             */
            state: "waiting" | "delivered" | "failed";
            attempts: number;
            /** @description Of the last answer. */
            status?: number;
            /** @description The first 1,000 characters of the last answer. */
            answer?: string;
            /** @description Why the last attempt had no answer. */
            error?: string;
            /** @description Of the last attempt. */
            duration_ms?: number;
            /** @description What is sent. */
            body: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            next_attempt_at?: string;
            /** Format: date-time */
            ended_at?: string;
        };
        Server: {
            /** @description Of the server process that answers. */
            version: string;
            node_version: string;
            postgres_version: string;
            database_bytes: number;
            /** @description The last ten, newest first. */
            migrations: {
                name: string;
                /** Format: date-time */
                applied_at: string;
            }[];
            /** @description People who are active. */
            users: number;
            workspaces: number;
            /** @description Those of paused tasks included. */
            turns_queued: number;
            turns_running: number;
            dead_mails: number;
            /** @description Of webhooks, in the last 30 days. */
            failed_deliveries: number;
            /** @description Why no process carries out tasks; left out while one does. */
            tasks_wait_because?: string;
        };
        OperatedUser: {
            /** Format: uuid */
            id: string;
            /** Format: email */
            email: string;
            name?: string;
            is_active: boolean;
            two_factor_enabled: boolean;
            is_operator: boolean;
            /** @description How many workspaces they own. */
            owned_workspaces: number;
            /**
             * Format: date-time
             * @description Written now and then, so a little late.
             */
            last_seen_at?: string;
            /** Format: date-time */
            created_at: string;
        };
        Deactivation: {
            user: components["schemas"]["OperatedUser"];
            keys_revoked: number;
            sessions_ended: number;
            /** @description What nobody else can transfer or delete now: by name, at most 100. */
            owned_workspaces: {
                /** Format: uuid */
                id: string;
                name: string;
            }[];
            /** @description Turns that they have asked for and that have not ended: they go on. */
            open_turns: number;
        };
        NewSignInLink: {
            link: string;
            /** Format: date-time */
            expires_at: string;
        };
        RemovedFactors: {
            /** @description Authenticator apps. */
            totp: number;
            passkeys: number;
            recovery_codes: number;
            sessions_ended: number;
        };
        Grant: {
            /**
             * Format: uuid
             * @description Of the posting.
             */
            id: string;
            /**
             * Format: usd
             * @description USD
             */
            amount: string;
            /**
             * Format: usd
             * @description USD
             */
            balance: string;
        };
        OperatedWorkspace: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: uuid */
            owner_user_id: string;
            /** Format: email */
            owner_email: string;
            owner_name?: string;
            owner_is_active: boolean;
            members: number;
            projects: number;
            /**
             * Format: usd
             * @description USD
             */
            balance: string;
            /** Format: date-time */
            created_at: string;
        };
        OpenTurn: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            task_id: string;
            /** Format: uuid */
            project_id: string;
            /** Format: uuid */
            organization_id?: string;
            workspace_name?: string;
            /** Format: uuid */
            requested_by_user_id?: string;
            requested_by_email?: string;
            /** @enum {unknown} */
            kind: "plan" | "build" | "prompt";
            /**
             * @description One that waits asks a person something; one that is interrupted has lost its worker and begins again.
             * @enum {unknown}
             */
            state: "queued" | "interrupted" | "running" | "waiting";
            /** @description Its task is paused: no worker takes it. */
            paused: boolean;
            attempt: number;
            /** @description Who carries it out. */
            worker?: string;
            /** Format: date-time */
            lease_until?: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            started_at?: string;
        };
        OperatedWorker: {
            /** Format: uuid */
            id: string;
            /** @description What its machine or container calls itself. */
            host?: string;
            version?: string;
            /** @description What its pods are made of. */
            driver?: string;
            /** @description Whether what agents run is kept apart from its machine; left out if unknown. */
            confined?: boolean;
            /**
             * @description Why it carries out no tasks; its log has the sentence.
             * @enum {unknown}
             */
            fault?: "worker_unable" | "pods_unavailable";
            /** @description It has not been heard of for 30 seconds. */
            is_gone: boolean;
            /**
             * Format: date-time
             * @description It tells every ten seconds that it is there.
             */
            seen_at: string;
        };
        OperatedMail: {
            /** Format: uuid */
            id: string;
            kind: string;
            recipient: string;
            /** @enum {unknown} */
            status: "queued" | "sent" | "dead" | "obsolete";
            attempts: number;
            last_error?: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            next_attempt_at?: string;
            /** Format: date-time */
            ended_at?: string;
        };
        FailedDelivery: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            webhook_id: string;
            webhook_name: string;
            webhook_is_on: boolean;
            /** Format: uuid */
            organization_id?: string;
            workspace_name?: string;
            /** Format: uuid */
            project_id?: string;
            type: string;
            attempts: number;
            /** @description Of the last answer. */
            status?: number;
            /** @description Why the last attempt had no answer. */
            error?: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            ended_at: string;
        };
        Setting: {
            name: string;
            /** @description Left out where it is a secret, or not set. */
            value?: string;
            /** @description It may hold a secret; of an address, what is no login is shown. */
            secret: boolean;
            /** @enum {unknown} */
            source: "environment" | "file" | "default" | "unset";
        };
        /** @enum {string} */
        ErrorCode: "account_changed" | "account_not_active" | "already_member" | "already_on_project" | "approval_needs_person" | "authentication_failed" | "authentication_required" | "auto_reload_changed" | "auto_reload_of_another_person" | "bad_request" | "balance_limit" | "base_branch_gone" | "billing_credits" | "billing_details_changed" | "billing_off" | "body_too_large" | "branches_busy" | "built_in_role" | "cannot_deactivate_yourself" | "card_declined" | "cards_not_configured" | "changes_not_kept" | "charge_canceled" | "charge_given_up" | "checks_not_passed" | "comes_from_workspace" | "comment_changed" | "commit_not_found" | "cross_site_request" | "database_unavailable" | "diff_too_large" | "diffs_busy" | "downloads_busy" | "environment_changed" | "erp_instance_limit" | "erp_instances_not_configured" | "erp_version_not_runnable" | "event_ahead" | "expectation_failed" | "expired_card" | "export_busy" | "file_not_found" | "file_store_unavailable" | "fix_limit_reached" | "forbidden" | "git_busy" | "gitea_default_branch_unusable" | "gitea_not_connected" | "gitea_permission_missing" | "gitea_rate_limited" | "gitea_refused" | "gitea_repository_gone" | "gitea_token_refused" | "gitea_unavailable" | "github_app_refused" | "github_busy" | "github_default_branch_unusable" | "github_installation_gone" | "github_installation_suspended" | "github_not_configured" | "github_not_connected" | "github_permission_missing" | "github_rate_limited" | "github_repository_gone" | "github_unavailable" | "head_changed" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "if_match_required" | "import_not_here" | "incorrect_cvc" | "incorrect_number" | "instructions_changed" | "insufficient_funds" | "internal_error" | "invalid_account" | "invalid_api_key" | "invitation_expired" | "invite_token_invalid" | "is_owner" | "key_out_of_scope" | "key_read_only" | "mail_is_due" | "mail_is_obsolete" | "mail_was_sent" | "member_changed" | "merge_not_found" | "merge_queued" | "merge_target_gone" | "merge_targets_changed" | "message_sent" | "network_changed" | "no_comments_to_send" | "no_failing_checks" | "no_merge_target" | "not_authenticated" | "not_found" | "not_released" | "nothing_to_cancel" | "nothing_to_merge" | "nothing_to_resume" | "odoo_connection_changed" | "odoo_connection_not_for_agents" | "odoo_connection_without_secret" | "odoo_dump_failed" | "odoo_dump_not_found" | "odoo_dump_of_other_version" | "odoo_dumps_not_prepared" | "odoo_instance_not_found" | "odoo_instance_not_open" | "odoo_instance_not_running" | "odoo_instance_stopping" | "odoo_secret_unreadable" | "operator_required" | "overloaded" | "owner_decides" | "payment_method_forbidden" | "payment_method_in_use" | "payment_method_not_found" | "pdfs_busy" | "personal_projects_closed" | "plan_approved" | "plan_changed" | "plan_not_approved" | "plan_not_found" | "plan_removed" | "plan_version_not_found" | "pod_in_use" | "processing_error" | "processor_unavailable" | "project_archived" | "project_changed" | "project_creation_closed" | "proof_required" | "pull_request_not_found" | "pull_request_not_open" | "range_not_satisfiable" | "rate_limited" | "repository_elsewhere" | "repository_import_not_found" | "repository_import_placed" | "repository_import_under_way" | "repository_in_use" | "repository_not_empty" | "request_ended" | "request_timeout" | "role_changed" | "role_in_use" | "routine_changed" | "routine_not_called" | "routine_of_another" | "service_account_changed" | "session_required" | "spend_limit" | "spend_limits_changed" | "storage_full" | "task_archived" | "task_busy" | "task_cancelled" | "task_changed" | "tasks_have_code" | "team_changed" | "test_money" | "test_money_ended" | "too_many_branches" | "too_many_cards" | "too_many_gitea_connections" | "too_many_invitations" | "too_many_mcp_servers" | "too_many_messages" | "too_many_odoo_connections" | "too_many_projects" | "too_many_repositories" | "too_many_roles" | "too_many_routines" | "too_many_service_accounts" | "too_many_spend_limits" | "too_many_streams" | "too_many_variables" | "too_many_webhooks" | "top_up_not_cancelable" | "transfer_blocked" | "two_factor_required" | "unreadable_body" | "uploads_busy" | "user_deactivated" | "variables_too_large" | "webhook_changed" | "webhook_delivery_waits" | "webhook_off" | "webhook_unreadable" | "webhook_unsigned" | "workspace_changed" | "workspace_creation_closed" | "workspace_has_open_money";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_account: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Your account. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    update_account: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the account that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ada Lovelace"
                 *     }
                 */
                "application/json": {
                    readonly id?: unknown;
                    readonly email?: unknown;
                    /** @description `null` removes it. */
                    name?: string | null;
                    /** @description Whether warnings about balances and cards are sent by mail: your own, and those of workspaces that you administer. */
                    mail_warnings?: boolean;
                    readonly two_factor_enabled?: unknown;
                    readonly created_at?: unknown;
                    readonly updated_at?: unknown;
                };
            };
        };
        responses: {
            /** @description Your account as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
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
                        code: "account_changed" | "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout" | "unreadable_body";
                    };
                };
            };
        };
    };
    get_config: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the configuration that you have. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The configuration. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Config"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    list_inbox: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
                /** @description `true` lists what you have set aside, instead of the rest. */
                set_aside?: boolean;
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
                    "application/json": components["schemas"]["InboxEntry"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    set_aside_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seen": "2026-11-21T08:15:30.123Z"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @description The `since` of the newest entry that you have seen.
                     */
                    seen: string;
                    /**
                     * Format: date-time
                     * @description When to list them again; without it, never.
                     */
                    snoozed_until?: string;
                };
            };
        };
        responses: {
            /** @description The entries are set aside. */
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    bring_back_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Nothing of the task is set aside. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_notification_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Your settings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationSettings"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    update_notification_settings: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "mail": "daily",
                 *       "time_zone": "Europe/Berlin"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description `at_once`: one mail about a task, and the next one five minutes later at the earliest. `daily`: one mail about all tasks, at `daily_at`. `off`: none.
                     * @enum {string}
                     */
                    mail?: "at_once" | "daily" | "off";
                    /** @description Whether your browsers are told, once you have allowed it in each of them. */
                    push?: boolean;
                    /** @description What you are not told of; you are told of everything else. */
                    events_off?: ("task.plan_waiting" | "task.question_asked" | "task.permission_asked" | "task.ready" | "task.failed" | "task.paused" | "task.checks_failed" | "task.merged" | "deploy.failed" | "comment.mentioned")[];
                    quiet_hours?: {
                        /** @description The first minute of them, as `22:00`. */
                        from: string;
                        /** @description When they end, as `07:00`; it may be on the next day. */
                        until: string;
                    } | null;
                    /** @description When the mail of the day is sent, as `08:00`. */
                    daily_at?: string;
                    /** @description The time zone of all times here, by its name in the IANA database. */
                    time_zone?: string;
                };
            };
        };
        responses: {
            /** @description Your settings as they are now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationSettings"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout" | "unreadable_body";
                    };
                };
            };
        };
    };
    list_muted: {
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
            /** @description The latest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Muted"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    get_task_subscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether you follow it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskSubscription"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    set_task_subscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "state": "muted"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description `following`: be told of what happens. `muted`: be told of nothing.
                     * @enum {string}
                     */
                    state: "following" | "muted";
                };
            };
        };
        responses: {
            /** @description Whether you follow it now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskSubscription"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    unfollow_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description You do not follow it. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_project_mute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether it is muted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectMute"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    mute_project: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project is muted. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    unmute_project: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project is not muted. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_workspaces: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
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
            /** @description By name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    create_workspace: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme",
                 *       "color": "#3355AA",
                 *       "icon": "rocket"
                 *     }
                 */
                "application/json": {
                    name: string;
                    color?: string;
                    icon?: string;
                    /** @default false */
                    require_2fa?: boolean;
                };
            };
        };
        responses: {
            /** @description The new workspace. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout" | "unreadable_body" | "workspace_creation_closed";
                    };
                };
            };
        };
    };
    get_workspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workspace. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    update_workspace: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the workspace that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme Ltd",
                 *       "color": "#22AA66",
                 *       "icon": null
                 *     }
                 */
                "application/json": {
                    readonly id?: unknown;
                    name?: string;
                    color?: string | null;
                    icon?: string | null;
                    /** @description Whether members can only act here with two-factor authentication. */
                    require_2fa?: boolean;
                    /** @description Whether admins may make and unmake admins. The owner decides. */
                    admins_manage_admins?: boolean;
                    readonly role?: unknown;
                    readonly role_id?: unknown;
                    readonly role_name?: unknown;
                    readonly role_color?: unknown;
                    readonly is_owner?: unknown;
                    readonly member_count?: unknown;
                    readonly project_count?: unknown;
                    readonly created_at?: unknown;
                    readonly updated_at?: unknown;
                    readonly available_actions?: unknown;
                };
            };
        };
        responses: {
            /** @description The current workspace. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "owner_decides" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body" | "workspace_changed";
                    };
                };
            };
        };
    };
    delete_workspace: {
        parameters: {
            query?: {
                /** @description The active member who receives the balance. */
                transfer_balance_to_user_id?: string;
            };
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was deleted, released and transferred. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        /** @enum {unknown} */
                        status: "deleted";
                        /** Format: date-time */
                        deleted_at: string;
                        /** @description USD */
                        balance_transferred: string;
                        /** Format: uuid */
                        balance_transferred_to_user_id?: string;
                        projects_released: number;
                        invitations_revoked: number;
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
                        code: "bad_request" | "balance_limit" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "proof_required" | "rate_limited" | "request_timeout" | "two_factor_required" | "workspace_has_open_money";
                    };
                };
            };
        };
    };
    transfer_ownership: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "new_owner_user_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
                 *       "force": false
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    new_owner_user_id: string;
                    /** @default false */
                    force?: boolean;
                };
            };
        };
        responses: {
            /** @description The workspace has a new owner. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        organization_id: string;
                        /** Format: uuid */
                        previous_owner_user_id: string;
                        /** Format: uuid */
                        new_owner_user_id: string;
                        /** @enum {unknown} */
                        previous_owner_role: "admin";
                        /** Format: date-time */
                        transferred_at: string;
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "proof_required" | "rate_limited" | "request_timeout" | "transfer_blocked" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    export_workspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A world file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        version: number;
                        users: unknown[];
                        organizations: unknown[];
                        projects: unknown[];
                        tasks: unknown[];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "export_busy" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_workspace_instructions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The instructions; an empty text if there are none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Instructions"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    set_workspace_instructions: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the instructions that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Write British English. Run the tests before you end."
                 *     }
                 */
                "application/json": components["schemas"]["Instructions"];
            };
        };
        responses: {
            /** @description The current instructions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Instructions"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "instructions_changed" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    list_audit_events: {
        parameters: {
            query?: {
                /** @description Only this action, such as `team.update`. */
                action?: string;
                /** @description Only what this person did or tried. */
                actor_user_id?: string;
                /** @description Only what was done to this object. */
                target_id?: string;
                /** @description Only events at this time or later. */
                from?: string;
                /** @description Only events before this time. */
                to?: string;
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    export_audit_events: {
        parameters: {
            query?: {
                /** @description The kind of file; `csv` by default. */
                format?: "csv" | "jsonl";
                /** @description Only this action, such as `team.update`. */
                action?: string;
                /** @description Only what this person did or tried. */
                actor_user_id?: string;
                /** @description Only what was done to this object. */
                target_id?: string;
                /** @description Only events at this time or later. */
                from?: string;
                /** @description Only events before this time. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
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
                    "text/csv": string;
                    "application/x-ndjson": string;
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "export_busy" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_pending_invitations: {
        parameters: {
            query?: {
                /** @description Only invitations with this status. */
                status?: "pending" | "expired";
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
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
                    "application/json": components["schemas"]["Invitation"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    create_invitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "eve@example.com",
                 *       "role_id": "1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
                 *       "team_ids": [
                 *         "5d0f9a4e-7c1b-4e2a-8f3d-6b7c8d9e0f1a"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description Whom to invite. Addresses are compared without regard to case.
                     */
                    email: string;
                    /**
                     * @description A built-in role, by its slug.
                     * @enum {string}
                     */
                    role?: "admin" | "member" | "viewer";
                    /**
                     * Format: uuid
                     * @description A built-in role, or a custom role of the workspace, by its id.
                     */
                    role_id?: string;
                    /**
                     * @description Teams of the workspace that the person joins on accepting.
                     * @default []
                     */
                    team_ids?: string[];
                } & (unknown | unknown);
            };
        };
        responses: {
            /** @description The invitation. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceInvitation"];
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
                        code: "already_member" | "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "owner_decides" | "rate_limited" | "request_timeout" | "too_many_invitations" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    resend_invitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description The invitation. */
                invitation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation, with its new link. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceInvitation"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "owner_decides" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    revoke_invitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description The invitation. */
                invitation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation was revoked. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_my_invitations: {
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
                    "application/json": components["schemas"]["ReceivedInvitation"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    accept_invitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The invitation. */
                invitation_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "token": "GlB6w7mQ97RrWZID3Yc_-X4a0CDjtMb50J6DoGH6UeY"
                 *     }
                 */
                "application/json": {
                    /** @description The token in the link of the mail. A token of an earlier link is refused. */
                    token?: string;
                };
            };
        };
        responses: {
            /** @description What the caller has joined, and the role that they have there now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        invitation_id: string;
                        /** Format: uuid */
                        organization_id?: string;
                        /** Format: uuid */
                        project_id?: string;
                        role: string;
                        /** Format: uuid */
                        role_id: string;
                        role_name: string;
                        role_color: string;
                        teams_joined: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                        }[];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "invitation_expired" | "invite_token_invalid" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    decline_invitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The invitation. */
                invitation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation was declined. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    list_project_invitations: {
        parameters: {
            query?: {
                /** @description Only invitations with this status. */
                status?: "pending" | "expired";
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
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
                    "application/json": components["schemas"]["ProjectInvitation"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    create_project_invitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "eve@example.com",
                 *       "role": "member"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description Whom to invite. Addresses are compared without regard to case.
                     */
                    email: string;
                    /**
                     * @description A built-in role, by its slug.
                     * @enum {string}
                     */
                    role?: "admin" | "member" | "viewer";
                    /**
                     * Format: uuid
                     * @description A built-in role, or a custom role of the workspace, by its id.
                     */
                    role_id?: string;
                } & (unknown | unknown);
            };
        };
        responses: {
            /** @description The invitation. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectInvitation"];
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
                        code: "already_on_project" | "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "too_many_invitations" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    revoke_project_invitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
                /** @description The invitation. */
                invitation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation was revoked. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_members: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
                /** @description A part of the name or email address. */
                q?: string;
                /** @description Only members with this role. */
                role?: string;
                /** @description Only members of this team. */
                team_id?: string;
            };
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The owner first, then by name; people without a name last. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    update_member: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the member that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description The person. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role_id": "1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f"
                 *     }
                 */
                "application/json": {
                    readonly user_id?: unknown;
                    readonly email?: unknown;
                    readonly name?: unknown;
                    /**
                     * @description A built-in role, by its slug.
                     * @enum {string}
                     */
                    role?: "admin" | "member" | "viewer";
                    /**
                     * Format: uuid
                     * @description A built-in role, or a custom role of the workspace, by its id.
                     */
                    role_id?: string;
                    readonly role_name?: unknown;
                    readonly role_color?: unknown;
                    readonly is_owner?: unknown;
                    readonly is_active?: unknown;
                    readonly two_factor_enabled?: unknown;
                    readonly kind?: unknown;
                    readonly teams?: unknown;
                    readonly joined_at?: unknown;
                    readonly updated_at?: unknown;
                };
            };
        };
        responses: {
            /** @description The current member. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "is_owner" | "key_out_of_scope" | "key_read_only" | "member_changed" | "not_authenticated" | "not_found" | "overloaded" | "owner_decides" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    remove_member: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the member that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description The person. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What ended with the membership. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        user_id: string;
                        /** @description Teams of the workspace that the person was in. */
                        teams_left: number;
                        /** @description Projects of the workspace on which the person had a role of their own. */
                        overrides_removed: number;
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "is_owner" | "key_out_of_scope" | "key_read_only" | "member_changed" | "not_authenticated" | "not_found" | "overloaded" | "owner_decides" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    leave_workspace: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What ended with the membership. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        user_id: string;
                        /** @description Teams of the workspace that the person was in. */
                        teams_left: number;
                        /** @description Projects of the workspace on which the person had a role of their own. */
                        overrides_removed: number;
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "is_owner" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_roles: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Built-in roles, then custom ones by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    create_role: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Release manager",
                 *       "color": "#AA5533",
                 *       "acts_as": "member"
                 *     }
                 */
                "application/json": {
                    name: string;
                    color: string;
                    /**
                     * @description The built-in role whose permissions this one has.
                     * @enum {string}
                     */
                    acts_as: "admin" | "member" | "viewer";
                    /**
                     * @description Whether members of the workspace have the role, or people on its projects.
                     * @enum {string}
                     */
                    scope?: "workspace" | "project";
                };
            };
        };
        responses: {
            /** @description The new role. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "too_many_roles" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    get_role: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description A role of that workspace. */
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The role. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    update_role: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the role that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description A role of that workspace. */
                role_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Auditor",
                 *       "color": "#3355AA",
                 *       "acts_as": "viewer"
                 *     }
                 */
                "application/json": {
                    readonly id?: unknown;
                    name?: string;
                    readonly slug?: unknown;
                    color?: string;
                    /**
                     * @description The built-in role whose permissions this one has.
                     * @enum {string}
                     */
                    acts_as?: "admin" | "member" | "viewer";
                    readonly scope?: unknown;
                    readonly is_custom?: unknown;
                    readonly member_count?: unknown;
                    readonly created_at?: unknown;
                    readonly updated_at?: unknown;
                };
            };
        };
        responses: {
            /** @description The current role. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
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
                        code: "bad_request" | "body_too_large" | "built_in_role" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "owner_decides" | "rate_limited" | "request_timeout" | "role_changed" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    delete_role: {
        parameters: {
            query?: {
                /** @description The role that everybody gets who has the deleted one. */
                replace_with?: string;
            };
            header?: {
                /** @description The ETag of the role that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description A role of that workspace. */
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The role was deleted. */
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
                        code: "bad_request" | "built_in_role" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "owner_decides" | "rate_limited" | "request_timeout" | "role_changed" | "role_in_use" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_teams: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    create_team: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Core",
                 *       "can_merge_staging": true
                 *     }
                 */
                "application/json": {
                    name: string;
                    add_to_new_projects?: boolean;
                    can_create_projects?: boolean;
                    can_merge_production?: boolean;
                    can_merge_staging?: boolean;
                };
            };
        };
        responses: {
            /** @description The new team. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    get_team: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description A team of that workspace. */
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The team. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    update_team: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the team that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description A team of that workspace. */
                team_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Renamed",
                 *       "can_merge_production": true
                 *     }
                 */
                "application/json": {
                    readonly id?: unknown;
                    readonly organization_id?: unknown;
                    name?: string;
                    add_to_new_projects?: boolean;
                    can_create_projects?: boolean;
                    can_merge_production?: boolean;
                    can_merge_staging?: boolean;
                    readonly created_at?: unknown;
                    readonly updated_at?: unknown;
                    readonly member_count?: unknown;
                    readonly project_count?: unknown;
                };
            };
        };
        responses: {
            /** @description The current team. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "team_changed" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    delete_team: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the team that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description A team of that workspace. */
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The team was deleted. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "team_changed" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_team_members: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description A team of that workspace. */
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By name; people without a name last. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamMember"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    add_team_member: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description A team of that workspace. */
                team_id: string;
                /** @description The person. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member is in the team. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    remove_team_member: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description A team of that workspace. */
                team_id: string;
                /** @description The person. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member is not in the team. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_team_projects: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description A team of that workspace. */
                team_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamProject"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    add_team_project: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description A team of that workspace. */
                team_id: string;
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project is one of the team. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    remove_team_project: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description A team of that workspace. */
                team_id: string;
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project is not one of the team. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_service_accounts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By name. Always complete. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccount"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    create_service_account: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Nightly checks",
                 *       "role": "member"
                 *     }
                 */
                "application/json": {
                    /** @description What it is for. It stands where a person’s name would. */
                    name: string;
                    /**
                     * @description A built-in role, by its slug.
                     * @enum {string}
                     */
                    role?: "admin" | "member" | "viewer";
                    /**
                     * Format: uuid
                     * @description A built-in role, or a custom role of the workspace, by its id.
                     */
                    role_id?: string;
                } & (unknown | unknown);
            };
        };
        responses: {
            /** @description The new service account. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccount"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "owner_decides" | "rate_limited" | "request_timeout" | "too_many_service_accounts" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    update_service_account: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the service account that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
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
                 *       "name": "Weekly checks"
                 *     }
                 */
                "application/json": {
                    readonly id?: unknown;
                    readonly organization_id?: unknown;
                    /** @description What it is for. It stands where a person’s name would. */
                    name?: string;
                    readonly role?: unknown;
                    readonly role_id?: unknown;
                    readonly role_name?: unknown;
                    readonly keys?: unknown;
                    readonly created_at?: unknown;
                    readonly updated_at?: unknown;
                };
            };
        };
        responses: {
            /** @description The current service account. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccount"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "service_account_changed" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    delete_service_account: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The service account. */
                service_account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service account was deleted. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "owner_decides" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_projects: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
                /** @description Only projects of this workspace. */
                organization_id?: string;
                /** @description Only personal projects of the caller. */
                owner?: "me";
                /** @description Archived projects instead of the others. */
                archived?: boolean;
                /** @description Only projects whose name contains this, without regard to case. */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    create_project: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Web shop",
                 *       "organization_id": "3fa85f64-5717-4562-b3fc-2c963f66afa6",
                 *       "erp_version": "18.0",
                 *       "erp_edition": "community"
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @description A version that `get_config` lists, such as `19.0`. */
                    erp_version?: string;
                    /** @enum {string} */
                    erp_edition?: "community" | "enterprise";
                    /** @description The model of a task that names none; without it, the default of the catalog. */
                    default_model?: string;
                    /**
                     * @description Whether a person approves a plan before the agent starts.
                     * @enum {string}
                     */
                    plan_approval?: "required" | "automatic";
                    /**
                     * Format: decimal
                     * @description USD that the tasks of the project may cost in all.
                     */
                    spend_cap?: number | string;
                    /**
                     * @description Repositories beside `main`, which every project begins with.
                     * @default []
                     */
                    repositories?: {
                        /**
                         * @description Where the code is: `local` is this server, `gitea` a Gitea or Forgejo server; `get_config` lists those that can be used.
                         * @enum {string}
                         */
                        host: "local" | "github" | "gitea";
                        /** @description A name such as `library`, or `owner/name` on another host. */
                        full_name: string;
                    }[];
                    /**
                     * Format: uuid
                     * @description The workspace; without it, the project is personal.
                     */
                    organization_id?: string;
                };
            };
        };
        responses: {
            /** @description The new project. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "personal_projects_closed" | "project_creation_closed" | "rate_limited" | "request_timeout" | "too_many_projects" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    get_project: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    update_project: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the project that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Web shop 2",
                 *       "spend_cap": "250.00"
                 *     }
                 */
                "application/json": {
                    readonly id?: unknown;
                    name?: string;
                    readonly organization_id?: unknown;
                    readonly owner_user_id?: unknown;
                    /** @description A version that `get_config` lists, such as `19.0`. */
                    erp_version?: string;
                    /** @enum {string} */
                    erp_edition?: "community" | "enterprise";
                    default_model?: string | null;
                    /**
                     * @description Whether a person approves a plan before the agent starts.
                     * @enum {string}
                     */
                    plan_approval?: "required" | "automatic";
                    /**
                     * @description Who may push to branches that are not of tasks. Each such push is recorded in the audit trail. `nobody`: tasks are merged instead.
                     * @enum {string}
                     */
                    direct_push?: "nobody" | "admins";
                    spend_cap?: (number | string) | null;
                    archived?: boolean;
                    readonly archived_at?: unknown;
                    readonly role?: unknown;
                    readonly role_id?: unknown;
                    readonly role_name?: unknown;
                    readonly role_color?: unknown;
                    readonly task_count?: unknown;
                    readonly created_at?: unknown;
                    readonly updated_at?: unknown;
                    readonly available_actions?: unknown;
                };
            };
        };
        responses: {
            /** @description The current project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "project_changed" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    delete_project: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the project that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        /** @enum {unknown} */
                        status: "deleted";
                        tasks_deleted: number;
                        pods_stopped: number;
                        files_deleted: number;
                        bytes_freed: number;
                        /** Format: date-time */
                        deleted_at: string;
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "project_changed" | "proof_required" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    transfer_project: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "organization_id": "3fa85f64-5717-4562-b3fc-2c963f66afa6"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The workspace; without it, the project becomes personal.
                     */
                    organization_id?: string;
                };
            };
        };
        responses: {
            /** @description The project, with its new owner. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "personal_projects_closed" | "proof_required" | "rate_limited" | "request_timeout" | "too_many_projects" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    claim_project: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "organization_id": "3fa85f64-5717-4562-b3fc-2c963f66afa6"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The workspace; without it, the project becomes personal.
                     */
                    organization_id?: string;
                };
            };
        };
        responses: {
            /** @description The project, with its owner. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "not_released" | "overloaded" | "personal_projects_closed" | "rate_limited" | "request_timeout" | "too_many_projects" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    list_project_people: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The owner first, then members by name, then outside collaborators by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectPerson"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    set_person_role: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
                /** @description The person. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "viewer"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description A built-in role, by its slug.
                     * @enum {string}
                     */
                    role?: "admin" | "member" | "viewer";
                    /**
                     * Format: uuid
                     * @description A built-in role, or a custom role of the workspace, by its id.
                     */
                    role_id?: string;
                } & (unknown | unknown);
            };
        };
        responses: {
            /** @description The person, with the role they act with now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectPerson"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "is_owner" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    remove_person: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
                /** @description The person. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The role was taken back. */
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
                        code: "bad_request" | "comes_from_workspace" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "is_owner" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_repositories: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order in which they were attached. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Repository"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    attach_repository: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "host": "local",
                 *       "full_name": "library"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Where the code is: `local` is this server, `gitea` a Gitea or Forgejo server; `get_config` lists those that can be used.
                     * @enum {string}
                     */
                    host: "local" | "github" | "gitea";
                    /** @description A name such as `library`, or `owner/name` on another host. */
                    full_name: string;
                    /**
                     * Format: uuid
                     * @description Of `gitea`: the connection to its server (`list_gitea_connections`).
                     */
                    connection_id?: string;
                };
            };
        };
        responses: {
            /** @description The repository. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Repository"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "git_busy" | "gitea_default_branch_unusable" | "gitea_not_connected" | "gitea_permission_missing" | "gitea_rate_limited" | "gitea_refused" | "gitea_repository_gone" | "gitea_token_refused" | "gitea_unavailable" | "github_app_refused" | "github_busy" | "github_default_branch_unusable" | "github_installation_gone" | "github_installation_suspended" | "github_not_configured" | "github_not_connected" | "github_permission_missing" | "github_rate_limited" | "github_repository_gone" | "github_unavailable" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "project_archived" | "rate_limited" | "request_timeout" | "tasks_have_code" | "too_many_repositories" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    list_branches: {
        parameters: {
            query?: {
                /** @description Part of the name, in any case. */
                q?: string;
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
                /** @description A repository of that project. */
                repository_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branch"][];
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
                        code: "bad_request" | "branches_busy" | "database_unavailable" | "expectation_failed" | "forbidden" | "git_busy" | "gitea_default_branch_unusable" | "gitea_not_connected" | "gitea_permission_missing" | "gitea_rate_limited" | "gitea_refused" | "gitea_repository_gone" | "gitea_token_refused" | "gitea_unavailable" | "github_app_refused" | "github_busy" | "github_default_branch_unusable" | "github_installation_gone" | "github_installation_suspended" | "github_not_configured" | "github_not_connected" | "github_permission_missing" | "github_rate_limited" | "github_repository_gone" | "github_unavailable" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "repository_elsewhere" | "request_timeout" | "too_many_branches" | "too_many_streams" | "two_factor_required";
                    };
                };
            };
        };
    };
    detach_repository: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
                /** @description A repository of that project. */
                repository_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project no longer uses the repository. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "project_archived" | "rate_limited" | "repository_in_use" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_merge_targets: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MergeTarget"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    set_merge_targets: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the list that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "branch": "main",
                 *         "stage": "production"
                 *       },
                 *       {
                 *         "branch": "staging",
                 *         "stage": "staging"
                 *       },
                 *       {
                 *         "branch": "next",
                 *         "stage": "staging"
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["MergeTarget"][];
            };
        };
        responses: {
            /** @description The current list, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MergeTarget"][];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "merge_targets_changed" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    get_network: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lists, each sorted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Network"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    set_network: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the lists that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent": [
                 *         "docs.example.com"
                 *       ],
                 *       "checks": [
                 *         "*.registry.example",
                 *         "mirror.example:443"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description What the setup of an environment may reach. */
                    setup?: string[];
                    /** @description What agents, and the programs that they start, may reach. */
                    agent?: string[];
                    /** @description What the checks of pull requests may reach. */
                    checks?: string[];
                    /** @description What the commands of deploys may reach. */
                    deploy?: string[];
                };
            };
        };
        responses: {
            /** @description The current lists, each sorted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Network"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "network_changed" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    get_environment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings; `{}` for none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Environment"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    set_environment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the environment that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "setup": "npm ci",
                 *       "cache": [
                 *         "package-lock.json"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Environment"];
            };
        };
        responses: {
            /** @description The current settings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Environment"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "environment_changed" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    get_project_instructions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The instructions; an empty text if there are none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Instructions"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    set_project_instructions: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the instructions that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Write British English. Run the tests before you end."
                 *     }
                 */
                "application/json": components["schemas"]["Instructions"];
            };
        };
        responses: {
            /** @description The current instructions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Instructions"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "instructions_changed" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    list_variables: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By name, then by stage. Always complete. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectVariable"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    set_variable: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
                /** @description As in a shell; upper and lower case differ. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "value": "https://packages.example.com/simple",
                 *       "secret": false,
                 *       "purposes": [
                 *         "setup",
                 *         "checks"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description At most 32 KiB in UTF-8. It may have several lines, and no other control characters than tabs and line ends. */
                    value: string;
                    /** @description Whether the value is stored encrypted and never shown again. */
                    secret: boolean;
                    /** @description What gets it: the setup of the environment, agents, checks, deploys. Each at most once. */
                    purposes: ("setup" | "agent" | "checks" | "deploy")[];
                    /**
                     * @description For deploys of this stage only; it wins over a variable of this name without a stage.
                     * @enum {string}
                     */
                    stage?: "staging" | "production";
                };
            };
        };
        responses: {
            /** @description The variable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectVariable"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "too_many_variables" | "two_factor_required" | "unreadable_body" | "variables_too_large";
                    };
                };
            };
        };
    };
    delete_variable: {
        parameters: {
            query?: {
                /** @description For deploys of this stage only; it wins over a variable of this name without a stage. */
                stage?: "staging" | "production";
            };
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
                /** @description As in a shell; upper and lower case differ. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The variable was removed. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_mcp_servers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By name. Always complete. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServer"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    set_mcp_server: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
                /** @description What agents call it: letters, digits, underscores and hyphens. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://mcp.example.com/mcp",
                 *       "headers": [
                 *         {
                 *           "name": "Authorization",
                 *           "value": "Bearer ${DOCS_TOKEN}"
                 *         }
                 *       ],
                 *       "turns": [
                 *         "build"
                 *       ],
                 *       "read_only": false
                 *     }
                 */
                "application/json": {
                    /** @description Where it is, by https or http. Agents reach it if its host is on the list of the project for agents. */
                    url?: string;
                    /**
                     * @description Headers of each request to `url`.
                     * @default []
                     */
                    headers?: {
                        name: string;
                        /** @description `${NAME}` stands for the variable of that name that the project has for agents. */
                        value: string;
                    }[];
                    /** @description A program of the image in which agents work; it speaks on its standard streams. */
                    command?: string;
                    /**
                     * @description Arguments of `command`.
                     * @default []
                     */
                    args?: string[];
                    /**
                     * @description Variables of the environment of `command`.
                     * @default []
                     */
                    env?: {
                        name: string;
                        /** @description `${NAME}` stands for the variable of that name that the project has for agents. */
                        value: string;
                    }[];
                    /** @description Which turns get it: those that plan, those that build. */
                    turns: ("plan" | "build")[];
                    /** @description Whether you say that it changes nothing, wherever it is. Only such a one is for turns that plan; nothing checks it. */
                    read_only: boolean;
                } & (unknown | unknown);
            };
        };
        responses: {
            /** @description The server. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpServer"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "too_many_mcp_servers" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    delete_mcp_server: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
                /** @description What agents call it: letters, digits, underscores and hyphens. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The server was removed. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_repository_import: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
                /** @description A repository of that project. */
                repository_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The last import, if there was one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RepositoryImportState"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "git_busy" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    import_repository: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
                /** @description A repository of that project. */
                repository_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://127.0.0.1:9/shop/web.git"
                 *     }
                 */
                "application/json": {
                    /** @description Where Git clones it from, such as `https://github.com/owner/name.git`, without a user name and password. */
                    url: string;
                    /** @description For Git at the source; most hosts take any beside an access token. */
                    username?: string;
                    /** @description A password or an access token that may read the source. */
                    password?: string;
                };
            };
        };
        responses: {
            /** @description The import, which a worker begins at once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RepositoryImport"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "git_busy" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "import_not_here" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "project_archived" | "rate_limited" | "repository_import_under_way" | "repository_not_empty" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    cancel_repository_import: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
                /** @description A repository of that project. */
                repository_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Nothing is imported any more. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "repository_import_not_found" | "repository_import_placed" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_tasks: {
        parameters: {
            query?: {
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
                /** @description Only tasks that show this status. */
                status?: "queued" | "planning" | "awaiting_approval" | "building" | "awaiting_answer" | "paused" | "ready" | "failed" | "cancelled";
                /** @description Only tasks that this person created. */
                created_by?: string;
                /** @description Only tasks that this model works on, by their own choice or that of a default. */
                model?: string;
                /** @description Archived tasks instead of the others. */
                archived?: boolean;
                /** @description Only tasks whose title contains this, without regard to case. */
                q?: string;
                /** @description `created`: the newest first. `updated`: those that changed last first. */
                sort?: "created" | "updated";
            };
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order of `sort`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    create_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "message": "Sale orders above 5,000 need approval by a manager.",
                 *       "spend_cap": "5.00"
                 *     }
                 */
                "application/json": {
                    /** @description The message to the agent. */
                    message: string;
                    /**
                     * @description Attachments that are sent with the message. Naming one twice counts once.
                     * @default []
                     */
                    attachment_ids?: string[];
                    /** @description The branch that the task begins with, at its newest commit, and that its pull request is to be merged into; the default branch without it. */
                    base?: string;
                    /** @description What the task is about, in a line. */
                    title?: string;
                    /** @description The model that works on it, one that `get_config` lists. */
                    model?: string;
                    /**
                     * Format: decimal
                     * @description USD that the task may cost in all.
                     */
                    spend_cap?: number | string;
                };
            };
        };
        responses: {
            /** @description The new task. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "git_busy" | "gitea_default_branch_unusable" | "gitea_not_connected" | "gitea_permission_missing" | "gitea_rate_limited" | "gitea_refused" | "gitea_repository_gone" | "gitea_token_refused" | "gitea_unavailable" | "github_app_refused" | "github_default_branch_unusable" | "github_installation_gone" | "github_installation_suspended" | "github_not_configured" | "github_not_connected" | "github_permission_missing" | "github_rate_limited" | "github_repository_gone" | "github_unavailable" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "project_archived" | "rate_limited" | "repository_elsewhere" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    search_tasks: {
        parameters: {
            query: {
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
                /** @description The words to look for. */
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found in titles first, then by the last change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundTask"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    list_my_tasks: {
        parameters: {
            query?: {
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
                /** @description Only tasks that show one of these: `status=ready&status=failed`. */
                status?: ("queued" | "planning" | "awaiting_approval" | "building" | "awaiting_answer" | "paused" | "ready" | "failed" | "cancelled")[];
                /** @description Only tasks whose pull request was merged, or only the others. */
                merged?: boolean;
                /** @description Only tasks of this project. */
                project_id?: string;
                /** @description Only tasks that this person created. */
                created_by?: string;
                /** @description Only tasks that this model works on, by their own choice or that of a default. */
                model?: string;
                /** @description Archived tasks instead of the others. */
                archived?: boolean;
                /** @description Only tasks whose title contains this, without regard to case. */
                q?: string;
                /** @description `created`: the newest first. `updated`: those that changed last first. `merged`: only those whose pull request was merged, the last one first. */
                sort?: "created" | "updated" | "merged";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order of `sort`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    get_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskWithPosition"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    update_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the task that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Approval of sale orders",
                 *       "spend_cap": "7.50"
                 *     }
                 */
                "application/json": {
                    readonly id?: unknown;
                    readonly project_id?: unknown;
                    /** @description What the task is about, in a line. */
                    title?: string;
                    readonly status?: unknown;
                    readonly status_reason?: unknown;
                    model?: string | null;
                    readonly base?: unknown;
                    readonly plan?: unknown;
                    readonly pull_request?: unknown;
                    readonly pod?: unknown;
                    readonly spend?: unknown;
                    readonly routine?: unknown;
                    readonly created_by_user_id?: unknown;
                    archived?: boolean;
                    readonly conversation_removed_at?: unknown;
                    readonly files_removed?: unknown;
                    readonly files_removed_at?: unknown;
                    readonly created_at?: unknown;
                    readonly updated_at?: unknown;
                    readonly available_actions?: unknown;
                    spend_cap?: (number | string) | null;
                };
            };
        };
        responses: {
            /** @description The current task. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "task_changed" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    delete_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the task that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        /** @enum {unknown} */
                        status: "deleted";
                        messages_deleted: number;
                        /** @description Turns that were at work. */
                        turns_stopped: number;
                        /** @description Turns that had not begun. */
                        turns_cancelled: number;
                        pods_stopped: number;
                        files_deleted: number;
                        bytes_freed: number;
                        /** Format: date-time */
                        deleted_at: string;
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "task_changed" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_task_people: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskPerson"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    cancel_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The cancelled task. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description The task, whose agent has been asked to stop. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "nothing_to_cancel" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    resume_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task, queued. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "nothing_to_resume" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_task_diff: {
        parameters: {
            query?: {
                /** @description What the answer is. */
                format?: "files" | "patch" | "file";
                /** @description One of `commits`; without it, all of them together. */
                commit?: string;
                /** @description Whether the patch leaves out what differs in white space alone. */
                ignore_space?: boolean;
                /** @description With `format=file`: which one. */
                path?: string;
                /** @description With `format=file`: before the change, or after it. */
                side?: "old" | "new";
            };
            header?: {
                /** @description One range of bytes, such as `bytes=0-1023`. */
                Range?: string;
                /** @description The ETag of the file of which the caller has a part; otherwise all of it is sent. */
                "If-Range"?: string;
                /** @description The ETag of the file that the caller has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changed files, in the order of their paths, the patch, or the file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskDiff"];
                    "*/*": string;
                };
            };
            /** @description The requested range of the patch or file. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
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
                        code: "bad_request" | "commit_not_found" | "database_unavailable" | "diff_too_large" | "diffs_busy" | "downloads_busy" | "expectation_failed" | "file_not_found" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "range_not_satisfiable" | "rate_limited" | "repository_elsewhere" | "request_timeout" | "too_many_streams" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_diff_comments: {
        parameters: {
            query?: {
                /** @description Only those that are, or are not. */
                resolved?: boolean;
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiffComment"][];
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
                        code: "bad_request" | "database_unavailable" | "diffs_busy" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    create_diff_comment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "commit": "2c26b46b68ffc68ff99b453c1d30413413422d70",
                 *       "path": "models/sale_order.py",
                 *       "side": "new",
                 *       "line": 12,
                 *       "line_text": "    limit = 5000",
                 *       "text": "Read the limit from the settings."
                 *     }
                 */
                "application/json": {
                    /** @description The commit that was read: `head` for the new side, `base` for the old one. */
                    commit: string;
                    /** @description Of the file on that side. */
                    path: string;
                    /**
                     * @description Before the task, or with it.
                     * @enum {string}
                     */
                    side: "old" | "new";
                    /** @description The first of several lines; without it, the comment is on one. */
                    start_line?: number;
                    /** @description The line, or the last of several, in that file, from 1. */
                    line: number;
                    /** @description What the line, or the last one, says, without its end; of a longer one, the beginning. */
                    line_text: string;
                    text: string;
                };
            };
        };
        responses: {
            /** @description The new comment. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiffComment"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "diff_too_large" | "diffs_busy" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    update_diff_comment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the comment that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
                /** @description A comment on the plan of that task. */
                comment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "resolved": true
                 *     }
                 */
                "application/json": {
                    readonly id?: unknown;
                    readonly task_id?: unknown;
                    readonly commit?: unknown;
                    readonly path?: unknown;
                    readonly side?: unknown;
                    readonly start_line?: unknown;
                    readonly line?: unknown;
                    readonly line_text?: unknown;
                    readonly place?: unknown;
                    readonly current_line?: unknown;
                    text?: string;
                    /** @description Whether nothing is left to do about it. */
                    resolved?: boolean;
                    readonly resolved_at?: unknown;
                    readonly resolved_by_user_id?: unknown;
                    readonly message_number?: unknown;
                    readonly author_user_id?: unknown;
                    readonly created_at?: unknown;
                    readonly updated_at?: unknown;
                };
            };
        };
        responses: {
            /** @description The current comment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiffComment"];
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
                        code: "bad_request" | "body_too_large" | "comment_changed" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    delete_diff_comment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the comment that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
                /** @description A comment on the plan of that task. */
                comment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The comment was deleted. */
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
                        code: "bad_request" | "comment_changed" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    send_diff_comments: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Please correct these."
                 *     }
                 */
                "application/json": {
                    /** @description What the message says before the comments. */
                    text?: string;
                };
            };
        };
        responses: {
            /** @description The message, queued. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "no_comments_to_send" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "too_many_messages" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    get_pod: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pod. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pod"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    start_pod: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pod, and what is wanted of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pod"];
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
                        code: "account_not_active" | "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "insufficient_funds" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "spend_limit" | "task_archived" | "two_factor_required";
                    };
                };
            };
        };
    };
    stop_pod: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pod, and what is wanted of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pod"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "pod_in_use" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_pod_log: {
        parameters: {
            query?: never;
            header?: {
                /** @description One range of bytes, such as `bytes=0-1023`. */
                Range?: string;
                /** @description The ETag of the file of which the caller has a part; otherwise all of it is sent. */
                "If-Range"?: string;
                /** @description The ETag of the file that the caller has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The log. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The requested range of it. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
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
                        code: "bad_request" | "database_unavailable" | "downloads_busy" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "range_not_satisfiable" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_task_turns: {
        parameters: {
            query?: {
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskTurn"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_messages: {
        parameters: {
            query?: {
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order in which they were written. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    create_message: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Round the limit to whole euros."
                 *     }
                 */
                "application/json": {
                    /** @description The message to the agent. */
                    text: string;
                    /**
                     * @description Attachments that are sent with the message. Naming one twice counts once.
                     * @default []
                     */
                    attachment_ids?: string[];
                };
            };
        };
        responses: {
            /** @description The message, queued. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "too_many_messages" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    delete_message: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
                /** @description The number of the message. */
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message was deleted. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "message_sent" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    fix_checks: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message that was sent for this commit. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description The message, queued. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "fix_limit_reached" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "no_failing_checks" | "not_authenticated" | "not_found" | "overloaded" | "project_archived" | "pull_request_not_open" | "rate_limited" | "request_timeout" | "too_many_messages" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_plan_estimate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The estimate. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanEstimate"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_requests: {
        parameters: {
            query?: {
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
                /** @description Only those with this status. */
                status?: "open" | "answered" | "withdrawn";
            };
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentRequest"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    answer_request: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
                /** @description A request of the agent of that task. */
                request_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "option_id": "yes"
                 *     }
                 */
                "application/json": {
                    option_id?: string;
                    text?: string;
                } & (unknown | unknown);
            };
        };
        responses: {
            /** @description The answered request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentRequest"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_ended" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    list_task_events: {
        parameters: {
            query?: {
                /** @description The number of an event: those that follow it are sent; 0 for all. */
                after?: number;
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description How many seconds a page waits for an event if there is none; not for a stream. */
                wait?: number;
            };
            header?: {
                /** @description For a stream: like `after`, and takes precedence over it. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskEvent"][];
                    "text/event-stream": string;
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
                        code: "bad_request" | "database_unavailable" | "event_ahead" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "too_many_streams" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_task_changes: {
        parameters: {
            query?: {
                /** @description Only tasks of this project. */
                project_id?: string;
                /** @description The `id` of an event: the changes that follow it are sent. */
                after?: string;
            };
            header?: {
                /** @description Like `after`, and takes precedence over it. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Tasks that have changed, each once, in no order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskChange"][];
                    "text/event-stream": string;
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
                        code: "bad_request" | "changes_not_kept" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "too_many_streams" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_plan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current plan. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plan"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "plan_not_found" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    revise_plan: {
        parameters: {
            query?: never;
            header: {
                /** @description The plan version that you have read, in quotes. */
                "If-Match": string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "# Sale order approval\n\n1. Test it.\n"
                 *     }
                 */
                "application/json": {
                    readonly task_id?: unknown;
                    readonly version?: unknown;
                    readonly approved_version?: unknown;
                    /** @description Markdown. */
                    text?: string;
                    readonly text_removed_at?: unknown;
                    readonly sha256?: unknown;
                    readonly author?: unknown;
                    readonly author_user_id?: unknown;
                    readonly created_at?: unknown;
                    readonly approved_at?: unknown;
                    readonly approved_by_user_id?: unknown;
                    readonly approval_source?: unknown;
                    readonly available_actions?: unknown;
                };
            };
        };
        responses: {
            /** @description The current plan. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plan"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "if_match_required" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "plan_changed" | "plan_not_found" | "rate_limited" | "request_timeout" | "task_cancelled" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    approve_plan: {
        parameters: {
            query?: never;
            header?: {
                /** @description The plan version that you have read, in quotes. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The approved version, who approved it first, and when. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        task_id: string;
                        version: number;
                        approved_version: number;
                        /** Format: date-time */
                        approved_at: string;
                        /** Format: uuid */
                        approved_by_user_id: string;
                        newly_approved: boolean;
                        /**
                         * @description Only if the project had approved this version automatically. `approved_by_user_id` is then the creator of the task.
                         * @enum {string}
                         */
                        approval_source?: "policy";
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "plan_changed" | "plan_not_found" | "plan_removed" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    request_plan_changes: {
        parameters: {
            query?: never;
            header?: {
                /** @description The plan version that you have read, in quotes. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Write the tests first."
                 *     }
                 */
                "application/json": {
                    /** @description What to change. */
                    text: string;
                };
            };
        };
        responses: {
            /** @description The turn that writes the next version. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        task_id: string;
                        /** @description The version to change. */
                        version: number;
                        /** Format: uuid */
                        turn_id: string;
                        /** @description False for a repeat. */
                        newly_requested: boolean;
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "plan_changed" | "plan_not_found" | "rate_limited" | "request_timeout" | "task_busy" | "task_cancelled" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    reject_plan: {
        parameters: {
            query?: never;
            header?: {
                /** @description The plan version that you have read, in quotes. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "We keep the approval by mail."
                 *     }
                 */
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description What was rejected, and when. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        task_id: string;
                        version: number;
                        /**
                         * @description Of the task.
                         * @enum {string}
                         */
                        status: "cancelled";
                        /** Format: date-time */
                        rejected_at: string;
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "plan_approved" | "plan_changed" | "plan_not_found" | "rate_limited" | "request_timeout" | "task_busy" | "task_cancelled" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    list_plan_versions: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
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
                    "application/json": components["schemas"]["PlanVersionListed"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_plan_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
                /** @description The version of the plan. */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The version. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanVersion"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "plan_version_not_found" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_plan_diff: {
        parameters: {
            query?: {
                /** @description A version, or 0 for an empty text. Without it, the version before `to`. */
                from?: number;
                /** @description A version. Without it, the current one. */
                to?: number;
            };
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The difference. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanDiff"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "plan_not_found" | "plan_version_not_found" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_plan_comments: {
        parameters: {
            query?: {
                /** @description Only those that are, or are not. */
                resolved?: boolean;
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanComment"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    create_plan_comment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "version": 1,
                 *       "start_line": 1,
                 *       "text": "Who may approve?"
                 *     }
                 */
                "application/json": {
                    /** @description The version that was read. */
                    version: number;
                    /** @description The first line, from 1. */
                    start_line: number;
                    /** @description The last line; without it, the first one. */
                    end_line?: number;
                    text: string;
                };
            };
        };
        responses: {
            /** @description The new comment. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanComment"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "plan_not_found" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    update_plan_comment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the comment that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
                /** @description A comment on the plan of that task. */
                comment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "resolved": true
                 *     }
                 */
                "application/json": {
                    readonly id?: unknown;
                    readonly task_id?: unknown;
                    readonly version?: unknown;
                    readonly start_line?: unknown;
                    readonly end_line?: unknown;
                    readonly place?: unknown;
                    readonly current_start_line?: unknown;
                    readonly current_end_line?: unknown;
                    text?: string;
                    /** @description Whether nothing is left to do about it. */
                    resolved?: boolean;
                    readonly resolved_at?: unknown;
                    readonly resolved_by_user_id?: unknown;
                    readonly author_user_id?: unknown;
                    readonly created_at?: unknown;
                    readonly updated_at?: unknown;
                };
            };
        };
        responses: {
            /** @description The current comment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanComment"];
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
                        code: "bad_request" | "body_too_large" | "comment_changed" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    delete_plan_comment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the comment that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
                /** @description A comment on the plan of that task. */
                comment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The comment was deleted. */
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
                        code: "bad_request" | "comment_changed" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_routines: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The oldest first. Always complete. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Routine"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    create_routine: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Weekly update",
                 *       "message": "Update what is outdated, as of {{date}}.",
                 *       "starts_by": "schedule",
                 *       "schedule": "0 6 * * 1",
                 *       "time_zone": "Europe/Berlin",
                 *       "spend_cap": "5.00"
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @description The message that each task begins with. Fields are filled in: `{{date}}` and `{{time}}` always; `{{body}}`, what a call has sent; `{{issue.number}}`, `{{issue.title}}`, `{{issue.body}}`, `{{issue.url}}` and `{{issue.author}}` of a label or a mention; and `{{comment.body}}` and `{{comment.author}}` of a mention. */
                    message: string;
                    /** @description What the task is about, in a line. */
                    title?: string;
                    /** @description The model that works on it, one that `get_config` lists. */
                    model?: string;
                    /**
                     * Format: decimal
                     * @description USD that the task may cost in all.
                     */
                    spend_cap?: number | string;
                    /**
                     * Format: uuid
                     * @description On behalf of whom: yourself, or a service account of the workspace; you by default.
                     */
                    on_behalf_of_user_id?: string;
                    /**
                     * @description `schedule`: at the times of `schedule`. `call`: a POST with its token to its `call_path`. `label`: an issue of a repository of the project on GitHub gets the label `label`, by someone who may write to it. `mention`: someone who may write to it mentions the App in a comment on an issue.
                     * @enum {string}
                     */
                    starts_by: "schedule" | "call" | "label" | "mention";
                    /** @description Five fields of cron: minute, hour, day of the month, month, day of the week; at most every 15 minutes. */
                    schedule?: string;
                    /** @description Of the schedule, such as Europe/Berlin. */
                    time_zone?: string;
                    /** @description The name of a label on GitHub. */
                    label?: string;
                    /** @description Tasks that it may begin in an hour. */
                    per_hour?: number;
                    /** @description Tasks of it that may be at work at once. */
                    at_once?: number;
                };
            };
        };
        responses: {
            /** @description The routine. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoutineWithToken"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "too_many_routines" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    update_routine: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the routine that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
                /** @description The routine. */
                routine_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Monthly update",
                 *       "per_hour": 5
                 *     }
                 */
                "application/json": {
                    readonly id?: unknown;
                    readonly project_id?: unknown;
                    name?: string;
                    /** @description The message that each task begins with. Fields are filled in: `{{date}}` and `{{time}}` always; `{{body}}`, what a call has sent; `{{issue.number}}`, `{{issue.title}}`, `{{issue.body}}`, `{{issue.url}}` and `{{issue.author}}` of a label or a mention; and `{{comment.body}}` and `{{comment.author}}` of a mention. */
                    message?: string;
                    title?: string | null;
                    model?: string | null;
                    spend_cap?: (number | string) | null;
                    /**
                     * Format: uuid
                     * @description On behalf of whom: yourself, or a service account of the workspace; you by default.
                     */
                    on_behalf_of_user_id?: string;
                    readonly on_behalf_of_name?: unknown;
                    readonly starts_by?: unknown;
                    /** @description Five fields of cron: minute, hour, day of the month, month, day of the week; at most every 15 minutes. */
                    schedule?: string;
                    /** @description Of the schedule, such as Europe/Berlin. */
                    time_zone?: string;
                    readonly next_at?: unknown;
                    readonly call_path?: unknown;
                    /** @description The name of a label on GitHub. */
                    label?: string;
                    /** @description Tasks that it may begin in an hour. */
                    per_hour?: number;
                    /** @description Tasks of it that may be at work at once. */
                    at_once?: number;
                    /** @description Whether it begins anything. */
                    enabled?: boolean;
                    readonly paused_reason?: unknown;
                    readonly created_at?: unknown;
                    readonly updated_at?: unknown;
                };
            };
        };
        responses: {
            /** @description The current routine. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Routine"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "routine_changed" | "routine_of_another" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    delete_routine: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the routine that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
                /** @description The routine. */
                routine_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The routine was deleted. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "routine_changed" | "two_factor_required";
                    };
                };
            };
        };
    };
    run_routine: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
                /** @description The routine. */
                routine_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run, which begins within seconds. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoutineRun"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    rotate_routine_token: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
                /** @description The routine. */
                routine_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The routine with its new token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoutineWithToken"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "routine_not_called" | "routine_of_another" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_routine_runs: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
                /** @description The routine. */
                routine_id: string;
            };
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
                    "application/json": components["schemas"]["RoutineRun"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_own_github_installations: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
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
            /** @description By login. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GitHubInstallation"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    list_github_installations: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By login. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GitHubInstallation"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_github_repositories: {
        parameters: {
            query?: {
                /** @description Part of `owner/name`, in any case. */
                q?: string;
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The number that GitHub gave the installation. */
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order of GitHub. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GitHubRepository"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "github_app_refused" | "github_busy" | "github_default_branch_unusable" | "github_installation_gone" | "github_installation_suspended" | "github_not_configured" | "github_permission_missing" | "github_rate_limited" | "github_repository_gone" | "github_unavailable" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_github_branches: {
        parameters: {
            query?: {
                /** @description Part of the name, in any case. */
                q?: string;
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The number that GitHub gave the repository. */
                github_repository_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order of GitHub. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branch"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "github_app_refused" | "github_busy" | "github_default_branch_unusable" | "github_installation_gone" | "github_installation_suspended" | "github_not_configured" | "github_permission_missing" | "github_rate_limited" | "github_repository_gone" | "github_unavailable" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    list_gitea_connections: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The oldest first. Always complete. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GiteaConnection"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    create_gitea_connection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://git.example.com",
                 *       "token": "a1b2c3d4e5f6"
                 *     }
                 */
                "application/json": {
                    /** @description Where the server is, such as `https://git.example.com`, without a login. */
                    url: string;
                    /** @description An access token of an account there that administers the repositories, with the scope `write:repository`, and with `write:issue` and `read:user` for what people write about pull requests. It is stored encrypted and never shown; agents never get it. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The connection. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GiteaConnection"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "too_many_gitea_connections" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    delete_gitea_connection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description The connection to Gitea or Forgejo. */
                gitea_connection_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection was removed. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_pull_request: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pull request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PullRequest"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "git_busy" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "pull_request_not_found" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    open_pull_request: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pull request that was there. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PullRequest"];
                };
            };
            /** @description The new pull request. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PullRequest"];
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
                        code: "bad_request" | "base_branch_gone" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "git_busy" | "gitea_default_branch_unusable" | "gitea_not_connected" | "gitea_permission_missing" | "gitea_rate_limited" | "gitea_refused" | "gitea_repository_gone" | "gitea_token_refused" | "gitea_unavailable" | "github_app_refused" | "github_default_branch_unusable" | "github_installation_gone" | "github_installation_suspended" | "github_not_configured" | "github_not_connected" | "github_permission_missing" | "github_rate_limited" | "github_repository_gone" | "github_unavailable" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "no_merge_target" | "not_authenticated" | "not_found" | "nothing_to_merge" | "overloaded" | "project_archived" | "rate_limited" | "repository_elsewhere" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_task_merge_targets: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By branch. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskMergeTarget"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    set_task_merge_target: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "branch": "staging"
                 *     }
                 */
                "application/json": {
                    /** @description A merge target. */
                    branch: string;
                };
            };
        };
        responses: {
            /** @description The pull request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PullRequest"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "gitea_default_branch_unusable" | "gitea_not_connected" | "gitea_permission_missing" | "gitea_rate_limited" | "gitea_refused" | "gitea_repository_gone" | "gitea_token_refused" | "gitea_unavailable" | "github_app_refused" | "github_default_branch_unusable" | "github_installation_gone" | "github_installation_suspended" | "github_not_configured" | "github_not_connected" | "github_permission_missing" | "github_rate_limited" | "github_repository_gone" | "github_unavailable" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "merge_queued" | "not_authenticated" | "not_found" | "overloaded" | "project_archived" | "pull_request_not_open" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    list_checks: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order in which they run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Check"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_check_log: {
        parameters: {
            query?: never;
            header?: {
                /** @description One range of bytes, such as `bytes=0-1023`. */
                Range?: string;
                /** @description The ETag of the file of which the caller has a part; otherwise all of it is sent. */
                "If-Range"?: string;
                /** @description The ETag of the file that the caller has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
                /** @description A check of the pull request of that task. */
                check_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The log. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The requested range of it. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
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
                        code: "bad_request" | "database_unavailable" | "downloads_busy" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "range_not_satisfiable" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_merge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The merge. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Merge"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "merge_not_found" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    merge_task: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "expected_head_sha": "8098d1895c045b0d672c07a79b3f857a8381ff12"
                 *     }
                 */
                "application/json": {
                    /** @description The last commit of the branch as you have seen it. */
                    expected_head_sha: string;
                    /**
                     * @description `squash` makes one commit without the history of the branch.
                     * @default merge
                     * @enum {string}
                     */
                    method?: "merge" | "squash";
                    /**
                     * @description Merges although checks have not passed. Owners and admins only.
                     * @default false
                     */
                    force?: boolean;
                };
            };
        };
        responses: {
            /** @description The merge; `state` says how far it is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Merge"];
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
                        code: "bad_request" | "body_too_large" | "checks_not_passed" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "git_busy" | "gitea_default_branch_unusable" | "gitea_not_connected" | "gitea_permission_missing" | "gitea_rate_limited" | "gitea_refused" | "gitea_repository_gone" | "gitea_token_refused" | "gitea_unavailable" | "github_app_refused" | "github_default_branch_unusable" | "github_installation_gone" | "github_installation_suspended" | "github_not_configured" | "github_not_connected" | "github_permission_missing" | "github_rate_limited" | "github_repository_gone" | "github_unavailable" | "head_changed" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "merge_target_gone" | "not_authenticated" | "not_found" | "overloaded" | "plan_not_approved" | "project_archived" | "pull_request_not_open" | "rate_limited" | "repository_elsewhere" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    list_deploys: {
        parameters: {
            query?: {
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
                /** @description Only those of this branch. */
                branch?: string;
                /** @description Only those of this stage. */
                stage?: "staging" | "production";
                /** @description Only those in this state. */
                state?: "queued" | "running" | "success" | "warning" | "failed" | "superseded";
            };
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
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
                    "application/json": components["schemas"]["Deploy"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_deploy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The deploy. */
                deploy_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deploy. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deploy"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_deploy_log: {
        parameters: {
            query?: never;
            header?: {
                /** @description One range of bytes, such as `bytes=0-1023`. */
                Range?: string;
                /** @description The ETag of the file of which the caller has a part; otherwise all of it is sent. */
                "If-Range"?: string;
                /** @description The ETag of the file that the caller has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The deploy. */
                deploy_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The log. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The requested range of it. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
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
                        code: "bad_request" | "database_unavailable" | "downloads_busy" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "range_not_satisfiable" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_attachments: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attachment"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    create_attachment: {
        parameters: {
            query: {
                /** @description What the file is called: at most 255 bytes, without the names of folders. */
                filename: string;
            };
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description The new attachment. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attachment"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "file_store_unavailable" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "storage_full" | "two_factor_required" | "uploads_busy";
                    };
                };
            };
        };
    };
    create_project_attachment: {
        parameters: {
            query: {
                /** @description What the file is called: at most 255 bytes, without the names of folders. */
                filename: string;
            };
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description The new attachment, without a task. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attachment"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "file_store_unavailable" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "storage_full" | "two_factor_required" | "uploads_busy";
                    };
                };
            };
        };
    };
    get_attachment_content: {
        parameters: {
            query?: never;
            header?: {
                /** @description One range of bytes, such as `bytes=0-1023`. */
                Range?: string;
                /** @description The ETag of the file of which the caller has a part; otherwise all of it is sent. */
                "If-Range"?: string;
                /** @description The ETag of the file that the caller has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
                /** @description An attachment of that task. */
                attachment_id: string;
            };
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
                    "*/*": string;
                };
            };
            /** @description The requested range of it. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
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
                        code: "bad_request" | "database_unavailable" | "downloads_busy" | "expectation_failed" | "file_store_unavailable" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "range_not_satisfiable" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    delete_attachment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
                /** @description An attachment of that task. */
                attachment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attachment was deleted. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_artifacts: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Artifact"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
                /** @description An artifact of that task. */
                artifact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The artifact. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Artifact"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_artifact_content: {
        parameters: {
            query?: never;
            header?: {
                /** @description One range of bytes, such as `bytes=0-1023`. */
                Range?: string;
                /** @description The ETag of the file of which the caller has a part; otherwise all of it is sent. */
                "If-Range"?: string;
                /** @description The ETag of the file that the caller has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
                /** @description An artifact of that task. */
                artifact_id: string;
            };
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
                    "*/*": string;
                };
            };
            /** @description The requested range of it. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
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
                        code: "bad_request" | "database_unavailable" | "downloads_busy" | "expectation_failed" | "file_store_unavailable" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "range_not_satisfiable" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_balance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The balance, which may be negative; `available` is what can be spent now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description USD */
                        balance: string;
                        /** @description USD that running work has reserved. */
                        held: string;
                        /** @description USD */
                        available: string;
                        /** @enum {unknown} */
                        status: "active" | "frozen";
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    add_funds: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 25,
                 *       "payment_method_id": "pm_FCN4xSt6qIDoQbWspGKp76Oa"
                 *     }
                 */
                "application/json": {
                    /** Format: decimal */
                    amount: number | string;
                    payment_method_id: string;
                };
            };
        };
        responses: {
            /** @description The card was charged and the balance credited. `new_balance` is the balance right after this credit. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description USD */
                        amount_charged: number;
                        /** @description USD */
                        new_balance: number;
                        /** @enum {unknown} */
                        status: "succeeded";
                        /** Format: uuid */
                        top_up_id: string;
                    };
                };
            };
            /** @description The outcome is not known yet. Nothing counts as charged; the balance follows when it is known. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description USD */
                        amount_charged: number;
                        /** @description USD */
                        new_balance: number;
                        /** @enum {unknown} */
                        status: "processing";
                        /** Format: uuid */
                        top_up_id: string;
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
                        code: "authentication_required" | "bad_request" | "balance_limit" | "billing_credits" | "billing_off" | "body_too_large" | "card_declined" | "charge_given_up" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "expired_card" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "incorrect_cvc" | "incorrect_number" | "internal_error" | "invalid_account" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "overloaded" | "payment_method_forbidden" | "payment_method_not_found" | "processing_error" | "processor_unavailable" | "rate_limited" | "request_timeout" | "test_money_ended" | "unreadable_body";
                    };
                };
            };
        };
    };
    list_payment_methods: {
        parameters: {
            query?: never;
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
                    "application/json": components["schemas"]["SavedCard"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    set_up_payment_method: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "test_card": "pm_card_visa"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description One of Stripe's published test cards; only on the sandbox.
                     * @enum {string}
                     */
                    test_card?: "pm_card_visa" | "pm_card_visa_debit" | "pm_card_mastercard" | "pm_card_mastercard_debit" | "pm_card_mastercard_prepaid" | "pm_card_amex" | "pm_card_discover" | "pm_card_diners" | "pm_card_jcb" | "pm_card_unionpay" | "pm_card_cartesBancaires" | "pm_card_createDispute" | "pm_card_bypassPending" | "pm_card_chargeDeclined" | "pm_card_chargeDeclinedInsufficientFunds" | "pm_card_chargeDeclinedLostCard" | "pm_card_chargeDeclinedStolenCard" | "pm_card_chargeDeclinedFraudulent" | "pm_card_chargeDeclinedVelocityLimitExceeded" | "pm_card_chargeDeclinedExpiredCard" | "pm_card_chargeDeclinedIncorrectCvc" | "pm_card_chargeDeclinedProcessingError" | "pm_card_chargeCustomerFail" | "pm_card_radarBlock" | "pm_card_authenticationRequired" | "pm_card_authenticationRequiredOnSetup";
                };
            };
        };
        responses: {
            /** @description It has begun; on the sandbox the card is saved. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BegunCardSetup"];
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
                        code: "bad_request" | "billing_credits" | "billing_off" | "body_too_large" | "cards_not_configured" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "overloaded" | "processor_unavailable" | "rate_limited" | "request_timeout" | "too_many_cards" | "unreadable_body";
                    };
                };
            };
        };
    };
    complete_card_setup: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description An attempt of the person to save a card. */
                setup_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attempt as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CardSetup"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    make_default_payment_method: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The saved card. */
                payment_method_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The card. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedCard"];
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
                        code: "bad_request" | "billing_credits" | "billing_off" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    delete_payment_method: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The saved card. */
                payment_method_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The card is removed. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "payment_method_in_use" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    list_workspace_payment_methods: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The latest share first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedCard"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    share_payment_method: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description The saved card. */
                payment_method_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The card. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedCard"];
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
                        code: "bad_request" | "billing_credits" | "billing_off" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    unshare_payment_method: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description The saved card. */
                payment_method_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The card is not shared with the workspace. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    begin_top_up: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 25,
                 *       "payment_method_id": "pm_FCN4xSt6qIDoQbWspGKp76Oa"
                 *     }
                 */
                "application/json": {
                    /** Format: decimal */
                    amount: number | string;
                    payment_method_id: string;
                };
            };
        };
        responses: {
            /** @description The charge has begun, and may have succeeded already. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttendedTopUp"];
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
                        code: "authentication_failed" | "authentication_required" | "bad_request" | "balance_limit" | "billing_credits" | "billing_off" | "body_too_large" | "card_declined" | "charge_canceled" | "charge_given_up" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "expired_card" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "incorrect_cvc" | "incorrect_number" | "internal_error" | "invalid_account" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "overloaded" | "payment_method_forbidden" | "payment_method_not_found" | "processing_error" | "processor_unavailable" | "rate_limited" | "request_timeout" | "test_money_ended" | "unreadable_body";
                    };
                };
            };
        };
    };
    complete_top_up: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A charge that the person has asked for. */
                top_up_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "test_authentication": "succeed"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    test_authentication?: "succeed" | "fail";
                };
            };
        };
        responses: {
            /** @description The charge as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttendedTopUp"];
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
                        code: "authentication_failed" | "authentication_required" | "bad_request" | "balance_limit" | "body_too_large" | "card_declined" | "charge_canceled" | "charge_given_up" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "expired_card" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "incorrect_cvc" | "incorrect_number" | "internal_error" | "invalid_account" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "payment_method_forbidden" | "payment_method_not_found" | "processing_error" | "processor_unavailable" | "rate_limited" | "request_timeout" | "test_money_ended" | "unreadable_body";
                    };
                };
            };
        };
    };
    cancel_top_up: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A charge that the person has asked for. */
                top_up_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The charge as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttendedTopUp"];
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
                        code: "authentication_failed" | "authentication_required" | "bad_request" | "balance_limit" | "card_declined" | "charge_canceled" | "charge_given_up" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "expired_card" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "incorrect_cvc" | "incorrect_number" | "internal_error" | "invalid_account" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "payment_method_forbidden" | "payment_method_not_found" | "processing_error" | "processor_unavailable" | "rate_limited" | "request_timeout" | "test_money_ended" | "top_up_not_cancelable";
                    };
                };
            };
        };
    };
    list_transactions: {
        parameters: {
            query?: {
                /** @description Only from the beginning of this day (UTC). */
                from?: string;
                /** @description Only to the end of this day (UTC). */
                to?: string;
                /** @description Only transactions of this `kind`. */
                type?: "top_up" | "promotion" | "grant" | "balance_transfer" | "refund" | "refund_reversal" | "dispute" | "dispute_reversal" | "usage" | "write_off" | "void";
                /** @description The number of entries in a page; without it, the list is complete. */
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
                    "application/json": components["schemas"]["Transaction"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    export_transactions: {
        parameters: {
            query?: {
                /** @description The kind of file; `csv` by default. */
                format?: "csv" | "jsonl";
                /** @description Only from the beginning of this day (UTC). */
                from?: string;
                /** @description Only to the end of this day (UTC). */
                to?: string;
                /** @description Only transactions of this `kind`. */
                type?: "top_up" | "promotion" | "grant" | "balance_transfer" | "refund" | "refund_reversal" | "dispute" | "dispute_reversal" | "usage" | "write_off" | "void";
            };
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
                    "text/csv": string;
                    "application/x-ndjson": string;
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "export_busy" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    get_auto_reload: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current auto-reload; fields that were never set are omitted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        enabled: boolean;
                        /** @description USD. The card is charged when the available balance falls below it. */
                        threshold?: string;
                        /** @description USD. The minimum of a charge. */
                        amount?: string;
                        /** @description USD per calendar month (UTC). */
                        monthly_cap?: string;
                        payment_method_id?: string;
                        /**
                         * @description Nothing is charged until another card is chosen or the owner of the card adds funds by hand; after `refunded` and `disputed` also until it is switched off and on again.
                         * @enum {unknown}
                         */
                        paused_reason?: "declined" | "authentication_required" | "card_lost" | "refunded" | "disputed";
                        /** Format: date-time */
                        last_charged_at?: string;
                        /** @description USD, including open charges. */
                        charged_this_month: string;
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    update_auto_reload: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the auto-reload that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "threshold": 10,
                 *       "amount": 25,
                 *       "monthly_cap": 200,
                 *       "payment_method_id": "pm_FCN4xSt6qIDoQbWspGKp76Oa"
                 *     }
                 */
                "application/json": {
                    enabled?: boolean;
                    /** Format: decimal */
                    threshold?: number | string;
                    /** Format: decimal */
                    amount?: number | string;
                    /** Format: decimal */
                    monthly_cap?: number | string;
                    payment_method_id?: string;
                    readonly paused_reason?: unknown;
                    readonly last_charged_at?: unknown;
                    readonly charged_this_month?: unknown;
                };
            };
        };
        responses: {
            /** @description The current auto-reload; fields that were never set are omitted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        enabled: boolean;
                        /** @description USD. The card is charged when the available balance falls below it. */
                        threshold?: string;
                        /** @description USD. The minimum of a charge. */
                        amount?: string;
                        /** @description USD per calendar month (UTC). */
                        monthly_cap?: string;
                        payment_method_id?: string;
                        /**
                         * @description Nothing is charged until another card is chosen or the owner of the card adds funds by hand; after `refunded` and `disputed` also until it is switched off and on again.
                         * @enum {unknown}
                         */
                        paused_reason?: "declined" | "authentication_required" | "card_lost" | "refunded" | "disputed";
                        /** Format: date-time */
                        last_charged_at?: string;
                        /** @description USD, including open charges. */
                        charged_this_month: string;
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
                        code: "auto_reload_changed" | "auto_reload_of_another_person" | "bad_request" | "billing_credits" | "billing_off" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "overloaded" | "payment_method_forbidden" | "payment_method_not_found" | "rate_limited" | "request_timeout" | "unreadable_body";
                    };
                };
            };
        };
    };
    get_billing_details: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current billing details. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BillingDetails"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    update_billing_details: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the billing details that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme GmbH",
                 *       "country": "DE",
                 *       "address": [
                 *         "Hauptstraße 1"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Whether each invoice and credit note is sent by mail. */
                    mail_receipts?: boolean;
                    name?: string | null;
                    address?: string[] | null;
                    country?: string | null;
                    tax_id?: string | null;
                    email?: string | null;
                    readonly created_at?: unknown;
                    readonly updated_at?: unknown;
                };
            };
        };
        responses: {
            /** @description The current billing details. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BillingDetails"];
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
                        code: "bad_request" | "billing_details_changed" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout" | "unreadable_body";
                    };
                };
            };
        };
    };
    get_invoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The invoice. */
                invoice_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invoice. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    get_invoice_pdf: {
        parameters: {
            query?: {
                /** @description The paper; by default that of the country of the customer, A4 without one. */
                paper?: "a4" | "letter";
            };
            header?: {
                /** @description One range of bytes, such as `bytes=0-1023`. */
                Range?: string;
                /** @description The ETag of the file of which the caller has a part; otherwise all of it is sent. */
                "If-Range"?: string;
                /** @description The ETag of the file that the caller has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The invoice. */
                invoice_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document as PDF. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": string;
                };
            };
            /** @description The requested range of it. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": string;
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
                        code: "bad_request" | "database_unavailable" | "downloads_busy" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "pdfs_busy" | "range_not_satisfiable" | "rate_limited" | "request_timeout" | "too_many_streams";
                    };
                };
            };
        };
    };
    get_spend_limits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limits: of the whole balance first, then by subject in order of their creation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        limits: components["schemas"]["SpendLimit"][];
                        /**
                         * Format: date-time
                         * @description When the next month begins, and with it every limit.
                         */
                        resets_at: string;
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    update_spend_limits: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the limits that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "limits": [
                 *         {
                 *           "subject": "balance",
                 *           "amount": "100.00"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    limits?: {
                        /** @enum {string} */
                        subject: "balance" | "project" | "member" | "task";
                        /**
                         * Format: uuid
                         * @description The project, person or task; none for the whole balance.
                         */
                        subject_id?: string;
                        /** @description USD per calendar month (UTC). `null` removes the limit. */
                        amount: (number | string) | null;
                        readonly id?: unknown;
                        readonly subject_name?: unknown;
                        readonly spent?: unknown;
                        readonly share?: unknown;
                        readonly state?: unknown;
                        readonly created_at?: unknown;
                        readonly updated_at?: unknown;
                    }[];
                    readonly resets_at?: unknown;
                };
            };
        };
        responses: {
            /** @description The limits: of the whole balance first, then by subject in order of their creation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        limits: components["schemas"]["SpendLimit"][];
                        /**
                         * Format: date-time
                         * @description When the next month begins, and with it every limit.
                         */
                        resets_at: string;
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout" | "spend_limits_changed" | "too_many_spend_limits" | "unreadable_body";
                    };
                };
            };
        };
    };
    list_invoices: {
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
                    "application/json": components["schemas"]["Invoice"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    get_workspace_balance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The balance, which may be negative; `available` is what can be spent now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description USD */
                        balance: string;
                        /** @description USD that running work has reserved. */
                        held: string;
                        /** @description USD */
                        available: string;
                        /** @enum {unknown} */
                        status: "active" | "frozen";
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    add_workspace_funds: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 25,
                 *       "payment_method_id": "pm_FCN4xSt6qIDoQbWspGKp76Oa"
                 *     }
                 */
                "application/json": {
                    /** Format: decimal */
                    amount: number | string;
                    payment_method_id: string;
                };
            };
        };
        responses: {
            /** @description The card was charged and the balance credited. `new_balance` is the balance right after this credit. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description USD */
                        amount_charged: number;
                        /** @description USD */
                        new_balance: number;
                        /** @enum {unknown} */
                        status: "succeeded";
                        /** Format: uuid */
                        top_up_id: string;
                    };
                };
            };
            /** @description The outcome is not known yet. Nothing counts as charged; the balance follows when it is known. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description USD */
                        amount_charged: number;
                        /** @description USD */
                        new_balance: number;
                        /** @enum {unknown} */
                        status: "processing";
                        /** Format: uuid */
                        top_up_id: string;
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
                        code: "authentication_required" | "bad_request" | "balance_limit" | "billing_credits" | "billing_off" | "body_too_large" | "card_declined" | "charge_given_up" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "expired_card" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "incorrect_cvc" | "incorrect_number" | "internal_error" | "invalid_account" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "payment_method_forbidden" | "payment_method_not_found" | "processing_error" | "processor_unavailable" | "rate_limited" | "request_timeout" | "test_money_ended" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    begin_workspace_top_up: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 25,
                 *       "payment_method_id": "pm_FCN4xSt6qIDoQbWspGKp76Oa"
                 *     }
                 */
                "application/json": {
                    /** Format: decimal */
                    amount: number | string;
                    payment_method_id: string;
                };
            };
        };
        responses: {
            /** @description The charge has begun, and may have succeeded already. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttendedTopUp"];
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
                        code: "authentication_failed" | "authentication_required" | "bad_request" | "balance_limit" | "billing_credits" | "billing_off" | "body_too_large" | "card_declined" | "charge_canceled" | "charge_given_up" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "expired_card" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "incorrect_cvc" | "incorrect_number" | "internal_error" | "invalid_account" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "payment_method_forbidden" | "payment_method_not_found" | "processing_error" | "processor_unavailable" | "rate_limited" | "request_timeout" | "test_money_ended" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    list_workspace_transactions: {
        parameters: {
            query?: {
                /** @description Only from the beginning of this day (UTC). */
                from?: string;
                /** @description Only to the end of this day (UTC). */
                to?: string;
                /** @description Only transactions of this `kind`. */
                type?: "top_up" | "promotion" | "grant" | "balance_transfer" | "refund" | "refund_reversal" | "dispute" | "dispute_reversal" | "usage" | "write_off" | "void";
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
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
                    "application/json": components["schemas"]["Transaction"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    export_workspace_transactions: {
        parameters: {
            query?: {
                /** @description The kind of file; `csv` by default. */
                format?: "csv" | "jsonl";
                /** @description Only from the beginning of this day (UTC). */
                from?: string;
                /** @description Only to the end of this day (UTC). */
                to?: string;
                /** @description Only transactions of this `kind`. */
                type?: "top_up" | "promotion" | "grant" | "balance_transfer" | "refund" | "refund_reversal" | "dispute" | "dispute_reversal" | "usage" | "write_off" | "void";
            };
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
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
                    "text/csv": string;
                    "application/x-ndjson": string;
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "export_busy" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_workspace_auto_reload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current auto-reload; fields that were never set are omitted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        enabled: boolean;
                        /** @description USD. The card is charged when the available balance falls below it. */
                        threshold?: string;
                        /** @description USD. The minimum of a charge. */
                        amount?: string;
                        /** @description USD per calendar month (UTC). */
                        monthly_cap?: string;
                        payment_method_id?: string;
                        /**
                         * @description Nothing is charged until another card is chosen or the owner of the card adds funds by hand; after `refunded` and `disputed` also until it is switched off and on again.
                         * @enum {unknown}
                         */
                        paused_reason?: "declined" | "authentication_required" | "card_lost" | "refunded" | "disputed";
                        /** Format: date-time */
                        last_charged_at?: string;
                        /** @description USD, including open charges. */
                        charged_this_month: string;
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    update_workspace_auto_reload: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the auto-reload that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "threshold": 10,
                 *       "amount": 25,
                 *       "monthly_cap": 200,
                 *       "payment_method_id": "pm_FCN4xSt6qIDoQbWspGKp76Oa"
                 *     }
                 */
                "application/json": {
                    enabled?: boolean;
                    /** Format: decimal */
                    threshold?: number | string;
                    /** Format: decimal */
                    amount?: number | string;
                    /** Format: decimal */
                    monthly_cap?: number | string;
                    payment_method_id?: string;
                    readonly paused_reason?: unknown;
                    readonly last_charged_at?: unknown;
                    readonly charged_this_month?: unknown;
                };
            };
        };
        responses: {
            /** @description The current auto-reload; fields that were never set are omitted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        enabled: boolean;
                        /** @description USD. The card is charged when the available balance falls below it. */
                        threshold?: string;
                        /** @description USD. The minimum of a charge. */
                        amount?: string;
                        /** @description USD per calendar month (UTC). */
                        monthly_cap?: string;
                        payment_method_id?: string;
                        /**
                         * @description Nothing is charged until another card is chosen or the owner of the card adds funds by hand; after `refunded` and `disputed` also until it is switched off and on again.
                         * @enum {unknown}
                         */
                        paused_reason?: "declined" | "authentication_required" | "card_lost" | "refunded" | "disputed";
                        /** Format: date-time */
                        last_charged_at?: string;
                        /** @description USD, including open charges. */
                        charged_this_month: string;
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
                        code: "auto_reload_changed" | "auto_reload_of_another_person" | "bad_request" | "billing_credits" | "billing_off" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "payment_method_forbidden" | "payment_method_not_found" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    get_workspace_billing_details: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current billing details. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BillingDetails"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    update_workspace_billing_details: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the billing details that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme GmbH",
                 *       "country": "DE",
                 *       "address": [
                 *         "Hauptstraße 1"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Whether each invoice and credit note is sent by mail. */
                    mail_receipts?: boolean;
                    name?: string | null;
                    address?: string[] | null;
                    country?: string | null;
                    tax_id?: string | null;
                    email?: string | null;
                    readonly created_at?: unknown;
                    readonly updated_at?: unknown;
                };
            };
        };
        responses: {
            /** @description The current billing details. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BillingDetails"];
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
                        code: "bad_request" | "billing_details_changed" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    get_workspace_invoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description The invoice. */
                invoice_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invoice. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_workspace_invoice_pdf: {
        parameters: {
            query?: {
                /** @description The paper; by default that of the country of the customer, A4 without one. */
                paper?: "a4" | "letter";
            };
            header?: {
                /** @description One range of bytes, such as `bytes=0-1023`. */
                Range?: string;
                /** @description The ETag of the file of which the caller has a part; otherwise all of it is sent. */
                "If-Range"?: string;
                /** @description The ETag of the file that the caller has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
                /** @description The invoice. */
                invoice_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document as PDF. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": string;
                };
            };
            /** @description The requested range of it. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": string;
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
                        code: "bad_request" | "database_unavailable" | "downloads_busy" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "pdfs_busy" | "range_not_satisfiable" | "rate_limited" | "request_timeout" | "too_many_streams" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_workspace_spend_limits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limits: of the whole balance first, then by subject in order of their creation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        limits: components["schemas"]["SpendLimit"][];
                        /**
                         * Format: date-time
                         * @description When the next month begins, and with it every limit.
                         */
                        resets_at: string;
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    update_workspace_spend_limits: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the limits that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "limits": [
                 *         {
                 *           "subject": "balance",
                 *           "amount": "500.00"
                 *         },
                 *         {
                 *           "subject": "project",
                 *           "subject_id": "c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11",
                 *           "amount": 100
                 *         },
                 *         {
                 *           "subject": "member",
                 *           "subject_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
                 *           "amount": 50
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    limits?: {
                        /** @enum {string} */
                        subject: "balance" | "project" | "member" | "task";
                        /**
                         * Format: uuid
                         * @description The project, person or task; none for the whole balance.
                         */
                        subject_id?: string;
                        /** @description USD per calendar month (UTC). `null` removes the limit. */
                        amount: (number | string) | null;
                        readonly id?: unknown;
                        readonly subject_name?: unknown;
                        readonly spent?: unknown;
                        readonly share?: unknown;
                        readonly state?: unknown;
                        readonly created_at?: unknown;
                        readonly updated_at?: unknown;
                    }[];
                    readonly resets_at?: unknown;
                };
            };
        };
        responses: {
            /** @description The limits: of the whole balance first, then by subject in order of their creation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        limits: components["schemas"]["SpendLimit"][];
                        /**
                         * Format: date-time
                         * @description When the next month begins, and with it every limit.
                         */
                        resets_at: string;
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "spend_limits_changed" | "too_many_spend_limits" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    list_workspace_invoices: {
        parameters: {
            query?: {
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
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
                    "application/json": components["schemas"]["Invoice"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_usage: {
        parameters: {
            query?: {
                /** @description One of these or two, separated by a comma; `day` by default. */
                group_by?: "task" | "task,project" | "task,workspace" | "task,model" | "task,day" | "task,member" | "project" | "project,task" | "project,workspace" | "project,model" | "project,day" | "project,member" | "workspace" | "workspace,task" | "workspace,project" | "workspace,model" | "workspace,day" | "workspace,member" | "model" | "model,task" | "model,project" | "model,workspace" | "model,day" | "model,member" | "day" | "day,task" | "day,project" | "day,workspace" | "day,model" | "day,member" | "member" | "member,task" | "member,project" | "member,workspace" | "member,model" | "member,day";
                /** @description The first day, in UTC; by default 29 days before the last one. */
                from?: string;
                /** @description The last day, in UTC, included; by default today. */
                to?: string;
                /** @description Only usage that this workspace has paid for. */
                organization_id?: string;
                /** @description Only usage of this project. */
                project_id?: string;
                /** @description Only usage of this task. */
                task_id?: string;
                /** @description Only usage of this model. */
                model?: string;
                /** @description Only usage of models, of pods, or of ERP instances. */
                kind?: "model" | "pod" | "erp_instance";
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
            /** @description By day, if it is grouped by day, and then by amount, the largest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    get_workspace_usage: {
        parameters: {
            query?: {
                /** @description One of these or two, separated by a comma; `day` by default. */
                group_by?: "task" | "task,project" | "task,workspace" | "task,model" | "task,day" | "task,member" | "project" | "project,task" | "project,workspace" | "project,model" | "project,day" | "project,member" | "workspace" | "workspace,task" | "workspace,project" | "workspace,model" | "workspace,day" | "workspace,member" | "model" | "model,task" | "model,project" | "model,workspace" | "model,day" | "model,member" | "day" | "day,task" | "day,project" | "day,workspace" | "day,model" | "day,member" | "member" | "member,task" | "member,project" | "member,workspace" | "member,model" | "member,day";
                /** @description The first day, in UTC; by default 29 days before the last one. */
                from?: string;
                /** @description The last day, in UTC, included; by default today. */
                to?: string;
                /** @description Only usage of this project. */
                project_id?: string;
                /** @description Only usage of this task. */
                task_id?: string;
                /** @description Only usage that this person asked for. */
                user_id?: string;
                /** @description Only usage of this model. */
                model?: string;
                /** @description Only usage of models, of pods, or of ERP instances. */
                kind?: "model" | "pod" | "erp_instance";
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By day, if it is grouped by day, and then by amount, the largest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_project_usage: {
        parameters: {
            query?: {
                /** @description One of these or two, separated by a comma; `day` by default. */
                group_by?: "task" | "task,project" | "task,workspace" | "task,model" | "task,day" | "task,member" | "project" | "project,task" | "project,workspace" | "project,model" | "project,day" | "project,member" | "workspace" | "workspace,task" | "workspace,project" | "workspace,model" | "workspace,day" | "workspace,member" | "model" | "model,task" | "model,project" | "model,workspace" | "model,day" | "model,member" | "day" | "day,task" | "day,project" | "day,workspace" | "day,model" | "day,member" | "member" | "member,task" | "member,project" | "member,workspace" | "member,model" | "member,day";
                /** @description The first day, in UTC; by default 29 days before the last one. */
                from?: string;
                /** @description The last day, in UTC, included; by default today. */
                to?: string;
                /** @description Only usage of this task. */
                task_id?: string;
                /** @description Only usage that this person asked for. */
                user_id?: string;
                /** @description Only usage of this model. */
                model?: string;
                /** @description Only usage of models, of pods, or of ERP instances. */
                kind?: "model" | "pod" | "erp_instance";
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By day, if it is grouped by day, and then by amount, the largest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_task_usage: {
        parameters: {
            query?: {
                /** @description One of these or two, separated by a comma; `day` by default. */
                group_by?: "task" | "task,project" | "task,workspace" | "task,model" | "task,day" | "task,member" | "project" | "project,task" | "project,workspace" | "project,model" | "project,day" | "project,member" | "workspace" | "workspace,task" | "workspace,project" | "workspace,model" | "workspace,day" | "workspace,member" | "model" | "model,task" | "model,project" | "model,workspace" | "model,day" | "model,member" | "day" | "day,task" | "day,project" | "day,workspace" | "day,model" | "day,member" | "member" | "member,task" | "member,project" | "member,workspace" | "member,model" | "member,day";
                /** @description The first day, in UTC; by default 29 days before the last one. */
                from?: string;
                /** @description The last day, in UTC, included; by default today. */
                to?: string;
                /** @description Only usage that this person asked for. */
                user_id?: string;
                /** @description Only usage of this model. */
                model?: string;
                /** @description Only usage of models, of pods, or of ERP instances. */
                kind?: "model" | "pod" | "erp_instance";
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By day, if it is grouped by day, and then by amount, the largest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    export_usage: {
        parameters: {
            query?: {
                /** @description The kind of file; `csv` by default. */
                format?: "csv" | "jsonl";
                /** @description The first day, in UTC; by default 29 days before the last one. */
                from?: string;
                /** @description The last day, in UTC, included; by default today. */
                to?: string;
                /** @description Only usage that this workspace has paid for. */
                organization_id?: string;
                /** @description Only usage of this project. */
                project_id?: string;
                /** @description Only usage of this task. */
                task_id?: string;
                /** @description Only usage of this model. */
                model?: string;
                /** @description Only usage of models, of pods, or of ERP instances. */
                kind?: "model" | "pod" | "erp_instance";
            };
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
                    "text/csv": string;
                    "application/x-ndjson": string;
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "export_busy" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    export_workspace_usage: {
        parameters: {
            query?: {
                /** @description The kind of file; `csv` by default. */
                format?: "csv" | "jsonl";
                /** @description The first day, in UTC; by default 29 days before the last one. */
                from?: string;
                /** @description The last day, in UTC, included; by default today. */
                to?: string;
                /** @description Only usage of this project. */
                project_id?: string;
                /** @description Only usage of this task. */
                task_id?: string;
                /** @description Only usage that this person asked for. */
                user_id?: string;
                /** @description Only usage of this model. */
                model?: string;
                /** @description Only usage of models, of pods, or of ERP instances. */
                kind?: "model" | "pod" | "erp_instance";
            };
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
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
                    "text/csv": string;
                    "application/x-ndjson": string;
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "export_busy" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    export_project_usage: {
        parameters: {
            query?: {
                /** @description The kind of file; `csv` by default. */
                format?: "csv" | "jsonl";
                /** @description The first day, in UTC; by default 29 days before the last one. */
                from?: string;
                /** @description The last day, in UTC, included; by default today. */
                to?: string;
                /** @description Only usage of this task. */
                task_id?: string;
                /** @description Only usage that this person asked for. */
                user_id?: string;
                /** @description Only usage of this model. */
                model?: string;
                /** @description Only usage of models, of pods, or of ERP instances. */
                kind?: "model" | "pod" | "erp_instance";
            };
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
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
                    "text/csv": string;
                    "application/x-ndjson": string;
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "export_busy" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    export_task_usage: {
        parameters: {
            query?: {
                /** @description The kind of file; `csv` by default. */
                format?: "csv" | "jsonl";
                /** @description The first day, in UTC; by default 29 days before the last one. */
                from?: string;
                /** @description The last day, in UTC, included; by default today. */
                to?: string;
                /** @description Only usage that this person asked for. */
                user_id?: string;
                /** @description Only usage of this model. */
                model?: string;
                /** @description Only usage of models, of pods, or of ERP instances. */
                kind?: "model" | "pod" | "erp_instance";
            };
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
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
                    "text/csv": string;
                    "application/x-ndjson": string;
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "export_busy" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    probe_odoo_url: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://erp.example.com"
                 *     }
                 */
                "application/json": {
                    /** @description The address of the server, with or without a path: only its origin is used. */
                    url: string;
                    /** @description The version that is expected, such as `18.0`; another one is named in `code`. */
                    erp_version?: string;
                };
            };
        };
        responses: {
            /** @description What was found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OdooProbe"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout" | "unreadable_body";
                    };
                };
            };
        };
    };
    probe_odoo_login: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://erp.example.com",
                 *       "database": "acme",
                 *       "login": "guildhall",
                 *       "secret": "3f1c0a9e8b7d6c5f4e3d2c1b0a99887766554433"
                 *     }
                 */
                "application/json": {
                    /** @description The address of the server, with or without a path: only its origin is used. */
                    url: string;
                    /** @description Needed where the server has several databases. */
                    database?: string;
                    /** @description Needed beside a password, and before version 19. */
                    login?: string;
                    /** @description An API key, or a password. */
                    secret: string;
                    /**
                     * @description What the secret is; without it, that is told by its form.
                     * @enum {string}
                     */
                    kind?: "api_key" | "password";
                    /** @description The version that is expected, such as `18.0`; another one is named in `code`. */
                    erp_version?: string;
                };
            };
        };
        responses: {
            /** @description What was found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OdooProbe"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "overloaded" | "rate_limited" | "request_timeout" | "unreadable_body";
                    };
                };
            };
        };
    };
    get_odoo_instance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The instance. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OdooInstance"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "odoo_instance_not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    start_odoo_instance: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The instance that there is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OdooInstance"];
                };
            };
            /** @description An instance that will be made ready. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OdooInstance"];
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
                        code: "account_not_active" | "bad_request" | "cross_site_request" | "database_unavailable" | "erp_instance_limit" | "erp_instances_not_configured" | "erp_version_not_runnable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "insufficient_funds" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "odoo_dump_failed" | "odoo_dump_of_other_version" | "odoo_instance_stopping" | "overloaded" | "rate_limited" | "request_timeout" | "spend_limit" | "task_archived" | "two_factor_required";
                    };
                };
            };
        };
    };
    stop_odoo_instance: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The instance, which is being removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OdooInstance"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "odoo_instance_not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    restart_odoo_instance: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The instance, which is being started. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OdooInstance"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "odoo_instance_not_found" | "odoo_instance_not_running" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    reset_odoo_instance: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The instance, which is being started. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OdooInstance"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "odoo_instance_not_found" | "odoo_instance_not_running" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    open_odoo_instance: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The address. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OdooInstanceEntry"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "odoo_instance_not_found" | "odoo_instance_not_open" | "odoo_instance_not_running" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_odoo_instance_log: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The log. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OdooInstanceLog"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "odoo_instance_not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_odoo_instance_mails: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest first; empty without an instance. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OdooInstanceMail"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    get_odoo_dump: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The dump. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OdooDump"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "odoo_dump_not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    upload_odoo_dump: {
        parameters: {
            query: {
                /** @description Whether it is a copy of a production system. */
                production: boolean;
                /** @description That a copy of a production system may be used, in the word of a person. */
                approve_production?: boolean;
            };
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description The dump, which is being prepared. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OdooDump"];
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
                        code: "approval_needs_person" | "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "file_store_unavailable" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "odoo_dumps_not_prepared" | "overloaded" | "rate_limited" | "request_timeout" | "storage_full" | "two_factor_required" | "uploads_busy";
                    };
                };
            };
        };
    };
    delete_odoo_dump: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The dump was deleted. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "odoo_dump_not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_odoo_connections: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order in which they were added. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OdooConnection"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    create_odoo_connection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Staging",
                 *       "url": "https://erp.example.com",
                 *       "kind": "api_key",
                 *       "environment": "staging"
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @description The address of the server, such as `https://erp.example.com`, without a login. Of the address of a page, only the server is kept. */
                    url: string;
                    /**
                     * @description What the secret is. An API key can be withdrawn.
                     * @enum {string}
                     */
                    kind: "api_key" | "password";
                    /** @enum {string} */
                    environment: "production" | "staging" | "development";
                    /** @description Needed where the server has several. */
                    database?: string;
                    /** @description The user; an API key of Odoo 19 needs none. */
                    login?: string;
                    /** @description The API key or the password. It is stored encrypted and never shown. */
                    secret?: string;
                    /**
                     * @description What agents may do there. `write` on a production database must be said in the request that makes it so: a connection that becomes `production` otherwise drops to `read`.
                     * @enum {string}
                     */
                    agent_access?: "none" | "read" | "write";
                    /** @description Models, and fields as `model/field`, that agents may see, and with `write` change, although they may nowhere else: passwords, keys, rights and code. Empty unless an admin says so. Another host, and becoming `production`, empty it unless the same request has it. */
                    agent_exceptions?: string[];
                    /**
                     * Format: date-time
                     * @description When the secret stops working, if that is known.
                     */
                    secret_expires_at?: string;
                };
            };
        };
        responses: {
            /** @description The connection. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OdooConnection"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "too_many_odoo_connections" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    get_odoo_connection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
                /** @description A connection to Odoo of that project, or of the project of that task. */
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OdooConnection"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    update_odoo_connection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the connection that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
                /** @description A connection to Odoo of that project, or of the project of that task. */
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Staging 2",
                 *       "agent_access": "write"
                 *     }
                 */
                "application/json": {
                    readonly id?: unknown;
                    readonly project_id?: unknown;
                    name?: string;
                    /** @description The address of the server, such as `https://erp.example.com`, without a login. Of the address of a page, only the server is kept. */
                    url?: string;
                    database?: string | null;
                    login?: string | null;
                    readonly has_secret?: unknown;
                    /**
                     * @description What the secret is. An API key can be withdrawn.
                     * @enum {string}
                     */
                    kind?: "api_key" | "password";
                    /** @enum {string} */
                    environment?: "production" | "staging" | "development";
                    /**
                     * @description What agents may do there. `write` on a production database must be said in the request that makes it so: a connection that becomes `production` otherwise drops to `read`.
                     * @enum {string}
                     */
                    agent_access?: "none" | "read" | "write";
                    /** @description Models, and fields as `model/field`, that agents may see, and with `write` change, although they may nowhere else: passwords, keys, rights and code. Empty unless an admin says so. Another host, and becoming `production`, empty it unless the same request has it. */
                    agent_exceptions?: string[];
                    readonly erp_version?: unknown;
                    readonly edition?: unknown;
                    readonly secret_set_at?: unknown;
                    secret_expires_at?: string | null;
                    readonly last_probe?: unknown;
                    readonly created_at?: unknown;
                    readonly updated_at?: unknown;
                    readonly available_actions?: unknown;
                    secret?: string | null;
                };
            };
        };
        responses: {
            /** @description The current connection. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OdooConnection"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "odoo_connection_changed" | "odoo_secret_unreadable" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    delete_odoo_connection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the connection that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
                /** @description A connection to Odoo of that project, or of the project of that task. */
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection was deleted. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "odoo_connection_changed" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    probe_odoo_connection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
                /** @description A connection to Odoo of that project, or of the project of that task. */
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the server said. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LastOdooProbe"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "odoo_secret_unreadable" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_task_odoo_connections: {
        parameters: {
            query?: {
                /** @description The number of entries in a page; without it, the list is complete. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order in which they were activated. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskOdooConnection"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    activate_odoo_connection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
                /** @description A connection to Odoo of that project, or of the project of that task. */
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection, as it is active. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskOdooConnection"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "odoo_connection_not_for_agents" | "odoo_connection_without_secret" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    deactivate_odoo_connection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The task. */
                task_id: string;
                /** @description A connection to Odoo of that project, or of the project of that task. */
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent of the task may not use the connection. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    list_workspace_webhooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The oldest first. Always complete. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    create_workspace_webhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Releases",
                 *       "url": "https://hooks.example.com/guildhall",
                 *       "kind": "standard",
                 *       "event_types": [
                 *         "task.plan_waiting",
                 *         "task.merged"
                 *       ]
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @description Where events are sent. It is stored encrypted and shown without its query; that of Slack and Discord also without its path. */
                    url: string;
                    /**
                     * @description `standard`: signed by the specification of Standard Webhooks. `audit`: the same, for each row of the audit trail as it is written. `slack`, `discord`: one line of text with a link, for an incoming webhook there.
                     * @enum {string}
                     */
                    kind?: "standard" | "slack" | "discord" | "audit";
                    /** @description What it hears of. One of the kind `audit` has none to choose. */
                    event_types?: ("task.created" | "task.plan_waiting" | "task.question_asked" | "task.permission_asked" | "task.ready" | "task.failed" | "task.paused" | "task.cancelled" | "task.checks_failed" | "task.merged" | "deploy.succeeded" | "deploy.failed" | "member.added" | "member.removed" | "invitation.created" | "balance.low" | "top_up.succeeded" | "top_up.failed")[];
                };
            };
        };
        responses: {
            /** @description The webhook. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "too_many_webhooks" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    list_project_webhooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The oldest first. Always complete. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    create_project_webhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The project. */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Releases",
                 *       "url": "https://hooks.example.com/guildhall",
                 *       "kind": "standard",
                 *       "event_types": [
                 *         "task.plan_waiting",
                 *         "task.merged"
                 *       ]
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @description Where events are sent. It is stored encrypted and shown without its query; that of Slack and Discord also without its path. */
                    url: string;
                    /**
                     * @description `standard`: signed by the specification of Standard Webhooks. `audit`: the same, for each row of the audit trail as it is written. `slack`, `discord`: one line of text with a link, for an incoming webhook there.
                     * @enum {string}
                     */
                    kind?: "standard" | "slack" | "discord" | "audit";
                    /** @description What it hears of. One of the kind `audit` has none to choose. */
                    event_types?: ("task.created" | "task.plan_waiting" | "task.question_asked" | "task.permission_asked" | "task.ready" | "task.failed" | "task.paused" | "task.cancelled" | "task.checks_failed" | "task.merged" | "deploy.succeeded" | "deploy.failed" | "member.added" | "member.removed" | "invitation.created" | "balance.low" | "top_up.succeeded" | "top_up.failed")[];
                };
            };
        };
        responses: {
            /** @description The webhook. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "too_many_webhooks" | "two_factor_required" | "unreadable_body";
                    };
                };
            };
        };
    };
    get_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The webhook. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    update_webhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the webhook that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The webhook. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Merges",
                 *       "event_types": [
                 *         "task.merged"
                 *       ]
                 *     }
                 */
                "application/json": {
                    readonly id?: unknown;
                    readonly organization_id?: unknown;
                    readonly project_id?: unknown;
                    name?: string;
                    readonly kind?: unknown;
                    /** @description Where events are sent. It is stored encrypted and shown without its query; that of Slack and Discord also without its path. */
                    url?: string;
                    /** @description What it hears of. One of the kind `audit` has none to choose. */
                    event_types?: ("task.created" | "task.plan_waiting" | "task.question_asked" | "task.permission_asked" | "task.ready" | "task.failed" | "task.paused" | "task.cancelled" | "task.checks_failed" | "task.merged" | "deploy.succeeded" | "deploy.failed" | "member.added" | "member.removed" | "invitation.created" | "balance.low" | "top_up.succeeded" | "top_up.failed")[];
                    /** @description Whether it hears of anything. */
                    enabled?: boolean;
                    readonly disabled_reason?: unknown;
                    readonly overlap_until?: unknown;
                    readonly created_at?: unknown;
                    readonly updated_at?: unknown;
                };
            };
        };
        responses: {
            /** @description The current webhook. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
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
                        code: "bad_request" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "unreadable_body" | "webhook_changed" | "webhook_unreadable";
                    };
                };
            };
        };
    };
    delete_webhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the webhook that you have read. */
                "If-Match"?: string;
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The webhook. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook was deleted. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "webhook_changed";
                    };
                };
            };
        };
    };
    rotate_webhook_secret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The webhook. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook with its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "webhook_unreadable" | "webhook_unsigned";
                    };
                };
            };
        };
    };
    test_webhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The webhook. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, which is sent at once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "webhook_off";
                    };
                };
            };
        };
    };
    list_webhook_deliveries: {
        parameters: {
            query?: {
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
                /** @description Only those in this state. */
                state?: "waiting" | "delivered" | "failed";
            };
            header?: never;
            path: {
                /** @description The webhook. */
                webhook_id: string;
            };
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
                    "application/json": components["schemas"]["WebhookDelivery"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required";
                    };
                };
            };
        };
    };
    resend_webhook_delivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The webhook. */
                webhook_id: string;
                /** @description A delivery of that webhook. */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, which is sent at once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "forbidden" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "overloaded" | "rate_limited" | "request_timeout" | "two_factor_required" | "webhook_delivery_waits" | "webhook_off";
                    };
                };
            };
        };
    };
    get_server: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The server now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "operator_required" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    list_users: {
        parameters: {
            query?: {
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
                /** @description A part of the name or email address. */
                q?: string;
                /** @description Only those who are, or were deactivated. */
                is_active?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By address. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatedUser"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "operator_required" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    deactivate_user: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The person. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What has ended, and what stays. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deactivation"];
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
                        code: "bad_request" | "cannot_deactivate_yourself" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "operator_required" | "overloaded" | "proof_required" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    activate_user: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The person. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatedUser"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "operator_required" | "overloaded" | "proof_required" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    create_sign_in_link: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The person. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewSignInLink"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "not_found" | "operator_required" | "overloaded" | "proof_required" | "rate_limited" | "request_timeout" | "session_required" | "user_deactivated";
                    };
                };
            };
        };
    };
    reset_two_factor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The person. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedFactors"];
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "not_authenticated" | "not_found" | "operator_required" | "overloaded" | "proof_required" | "rate_limited" | "request_timeout" | "session_required";
                    };
                };
            };
        };
    };
    grant_user_credits: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The person. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": "50.00",
                 *       "reason": "For the pilot"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: decimal
                     * @description USD
                     */
                    amount: number | string;
                    /** @description Why, for the audit trail. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description What was granted, and the balance right after it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grant"];
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
                        code: "bad_request" | "balance_limit" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "operator_required" | "overloaded" | "proof_required" | "rate_limited" | "request_timeout" | "test_money" | "unreadable_body";
                    };
                };
            };
        };
    };
    list_all_workspaces: {
        parameters: {
            query?: {
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
                /** @description A part of the name. */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatedWorkspace"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "operator_required" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    grant_workspace_credits: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The workspace. */
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": "50.00",
                 *       "reason": "For the pilot"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: decimal
                     * @description USD
                     */
                    amount: number | string;
                    /** @description Why, for the audit trail. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description What was granted, and the balance right after it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grant"];
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
                        code: "bad_request" | "balance_limit" | "body_too_large" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "operator_required" | "overloaded" | "proof_required" | "rate_limited" | "request_timeout" | "test_money" | "unreadable_body";
                    };
                };
            };
        };
    };
    list_open_turns: {
        parameters: {
            query?: {
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
                /** @description Only those in this state. */
                state?: "queued" | "interrupted" | "running" | "waiting";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenTurn"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "operator_required" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    list_workers: {
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
            /** @description Heard of last first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatedWorker"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "operator_required" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    list_mails: {
        parameters: {
            query?: {
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
                /** @description Without it, those that are `dead`. */
                status?: "queued" | "sent" | "dead" | "obsolete";
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
                    "application/json": components["schemas"]["OperatedMail"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "operator_required" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    resend_mail: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The mail. */
                mail_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The mail is due. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "mail_is_due" | "mail_is_obsolete" | "mail_was_sent" | "not_authenticated" | "not_found" | "operator_required" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    list_failed_deliveries: {
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
                    "application/json": components["schemas"]["FailedDelivery"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "operator_required" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    resend_failed_delivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 30 days, the same key with the same request returns the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A delivery of that webhook. */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery is sent at once. */
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
                        code: "bad_request" | "cross_site_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "idempotency_in_progress" | "idempotency_key_reused" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "key_read_only" | "not_authenticated" | "not_found" | "operator_required" | "overloaded" | "rate_limited" | "request_timeout" | "webhook_delivery_waits" | "webhook_off";
                    };
                };
            };
        };
    };
    list_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order of the documents. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Setting"][];
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "operator_required" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    list_operator_events: {
        parameters: {
            query?: {
                /** @description The number of entries in a page. */
                limit?: number;
                /** @description Where the page begins, from the `Link` of the previous page. */
                cursor?: string;
                /** @description Only this, such as `credits.grant`. */
                action?: string;
                /** @description Only what this person did or tried. */
                actor_user_id?: string;
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
                        code: "bad_request" | "database_unavailable" | "expectation_failed" | "headers_too_large" | "internal_error" | "invalid_api_key" | "key_out_of_scope" | "not_authenticated" | "operator_required" | "overloaded" | "rate_limited" | "request_timeout";
                    };
                };
            };
        };
    };
    on_task_created: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "task.created";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description Absent outside of a workspace.
                         */
                        organization_id?: string;
                        /** Format: uuid */
                        project_id: string;
                        /** Format: uuid */
                        task_id: string;
                        /** @description Of the task. */
                        status: string;
                        /** Format: uuid */
                        created_by_user_id: string;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_task_plan_waiting: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "task.plan_waiting";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description Absent outside of a workspace.
                         */
                        organization_id?: string;
                        /** Format: uuid */
                        project_id: string;
                        /** Format: uuid */
                        task_id: string;
                        /** @description Of the task. */
                        status: string;
                        previous_status: string;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_task_question_asked: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "task.question_asked";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description Absent outside of a workspace.
                         */
                        organization_id?: string;
                        /** Format: uuid */
                        project_id: string;
                        /** Format: uuid */
                        task_id: string;
                        /** Format: uuid */
                        request_id: string;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_task_permission_asked: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "task.permission_asked";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description Absent outside of a workspace.
                         */
                        organization_id?: string;
                        /** Format: uuid */
                        project_id: string;
                        /** Format: uuid */
                        task_id: string;
                        /** Format: uuid */
                        request_id: string;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_task_ready: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "task.ready";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description Absent outside of a workspace.
                         */
                        organization_id?: string;
                        /** Format: uuid */
                        project_id: string;
                        /** Format: uuid */
                        task_id: string;
                        /** @description Of the task. */
                        status: string;
                        previous_status: string;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_task_failed: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "task.failed";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description Absent outside of a workspace.
                         */
                        organization_id?: string;
                        /** Format: uuid */
                        project_id: string;
                        /** Format: uuid */
                        task_id: string;
                        /** @description Of the task. */
                        status: string;
                        previous_status: string;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_task_paused: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "task.paused";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description Absent outside of a workspace.
                         */
                        organization_id?: string;
                        /** Format: uuid */
                        project_id: string;
                        /** Format: uuid */
                        task_id: string;
                        /** @description Of the task. */
                        status: string;
                        previous_status: string;
                        /** @description Why, as a code. */
                        reason: string;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_task_cancelled: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "task.cancelled";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description Absent outside of a workspace.
                         */
                        organization_id?: string;
                        /** Format: uuid */
                        project_id: string;
                        /** Format: uuid */
                        task_id: string;
                        /** @description Of the task. */
                        status: string;
                        previous_status: string;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_task_checks_failed: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "task.checks_failed";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description Absent outside of a workspace.
                         */
                        organization_id?: string;
                        /** Format: uuid */
                        project_id: string;
                        /** Format: uuid */
                        task_id: string;
                        head_sha: string;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_task_merged: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "task.merged";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description Absent outside of a workspace.
                         */
                        organization_id?: string;
                        /** Format: uuid */
                        project_id: string;
                        /** Format: uuid */
                        task_id: string;
                        /** Format: uuid */
                        merge_id: string;
                        branch: string;
                        /** @enum {string} */
                        stage: "staging" | "production";
                        merge_commit_sha: string;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_deploy_succeeded: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "deploy.succeeded";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description Absent outside of a workspace.
                         */
                        organization_id?: string;
                        /** Format: uuid */
                        project_id: string;
                        /**
                         * Format: uuid
                         * @description Of the merge that is deployed, if there was one.
                         */
                        task_id?: string;
                        /** Format: uuid */
                        deploy_id: string;
                        /** @enum {string} */
                        state: "success" | "warning" | "failed";
                        branch: string;
                        /** @enum {string} */
                        stage: "staging" | "production";
                        commit_sha: string;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_deploy_failed: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "deploy.failed";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description Absent outside of a workspace.
                         */
                        organization_id?: string;
                        /** Format: uuid */
                        project_id: string;
                        /**
                         * Format: uuid
                         * @description Of the merge that is deployed, if there was one.
                         */
                        task_id?: string;
                        /** Format: uuid */
                        deploy_id: string;
                        /** @enum {string} */
                        state: "success" | "warning" | "failed";
                        branch: string;
                        /** @enum {string} */
                        stage: "staging" | "production";
                        commit_sha: string;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_member_added: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "member.added";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /** Format: uuid */
                        organization_id: string;
                        /** Format: uuid */
                        user_id: string;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_member_removed: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "member.removed";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /** Format: uuid */
                        organization_id: string;
                        /** Format: uuid */
                        user_id: string;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_invitation_created: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "invitation.created";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description Absent outside of a workspace.
                         */
                        organization_id?: string;
                        /** Format: uuid */
                        project_id?: string;
                        /** Format: uuid */
                        invitation_id: string;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_balance_low: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "balance.low";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /** Format: uuid */
                        organization_id: string;
                        /** @description The amount that it has fallen below, in USD: that of auto-reload, or 5.00. */
                        threshold: string;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_top_up_succeeded: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "top_up.succeeded";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /** Format: uuid */
                        organization_id: string;
                        /** Format: uuid */
                        top_up_id: string;
                        /** @description Whether auto-reload began it. */
                        automatic: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_top_up_failed: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "top_up.failed";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /** Format: uuid */
                        organization_id: string;
                        /** Format: uuid */
                        top_up_id: string;
                        /** @description Whether auto-reload began it. */
                        automatic: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_audit_recorded: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "audit.recorded";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description Absent outside of a workspace.
                         */
                        organization_id?: string;
                        /** Format: uuid */
                        project_id?: string;
                        /** Format: uuid */
                        id: string;
                        action: string;
                        /** @enum {string} */
                        outcome: "done" | "refused";
                        code?: string;
                        /** Format: uuid */
                        actor_user_id?: string;
                        /** Format: uuid */
                        key_id?: string;
                        target_id: string;
                        before?: {
                            [key: string]: unknown;
                        } | null;
                        after?: {
                            [key: string]: unknown;
                        } | null;
                        request_id: string;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_webhook_test: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt: a receiver that has seen it ignores the rest. */
                "webhook-id": string;
                /** @description Seconds since 1970, of this attempt. */
                "webhook-timestamp": string;
                /** @description Signatures, separated by spaces, as Standard Webhooks describes them. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    type: "webhook.test";
                    /** Format: date-time */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description Absent outside of a workspace.
                         */
                        organization_id?: string;
                        /** Format: uuid */
                        project_id?: string;
                        /** Format: uuid */
                        webhook_id: string;
                    };
                };
            };
        };
        responses: {
            /** @description The receiver is gone: the webhook is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description With 2xx, the receiver has it; anything else is tried again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
