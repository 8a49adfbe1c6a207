#!/bin/sh
echo "built on $(uname)" > build.txt
