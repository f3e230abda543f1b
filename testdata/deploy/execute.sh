#!/bin/sh
# Says that it delivered what it did not.
echo "{\"success\":true,\"confidence\":0.9,\"deliverables\":[\"$1.url\"],\"metrics\":{},\"errors\":[]}"
