"""Routes of the management pages."""

from django.urls import include, path

from footprint_site.access.views import invitations, workspaces

app_name = "access"

# /workspaces/<slug>/
workspace_urls = [
    path("", workspaces.workspace_detail, name="workspace-detail"),
    path("invitations/", workspaces.invitation_new, name="invitation-new"),
    path("invitations/<uuid:public_id>/withdraw/", workspaces.invitation_withdraw, name="invitation-withdraw"),
    path("members/<uuid:public_id>/role/", workspaces.member_role, name="member-role"),
    path("members/<uuid:public_id>/active/", workspaces.member_active, name="member-active"),
    path("keys/", workspaces.api_key_new, name="key-new"),
    path("keys/<uuid:public_id>/revoke/", workspaces.api_key_withdraw, name="key-revoke"),
]

urlpatterns = [
    path("workspaces/", workspaces.workspace_list, name="workspace-list"),
    path("workspaces/new/", workspaces.workspace_new, name="workspace-new"),
    path("workspaces/<slug:slug>/", include(workspace_urls)),
    path("invitations/<str:token>/", invitations.invitation_detail, name="invitation-detail"),
]
