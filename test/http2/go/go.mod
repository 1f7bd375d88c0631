module http2server

go 1.26.0
