"""Networks in ONNX: ``model`` reads a file and finds all shapes, ``operators`` says which
contractions a node is, and ``convert`` writes a network, workloads and a report.
"""
