"""App configurations of the site and of its admin."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class FootprintSiteConfig(AppConfig):
    """The site itself: commands, checks and what all apps share."""

    name = "footprint_site"
    default = True


class FootprintAdminConfig(AdminConfig):
    """Makes `FootprintAdminSite` the site that apps register with."""

    default_site = "footprint_site.admin.FootprintAdminSite"
    default = False
