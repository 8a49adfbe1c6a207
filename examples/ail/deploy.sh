#!/bin/sh
cp build.txt deployed.txt
