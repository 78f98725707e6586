"""Networks in ONNX: ``model`` reads a file and finds all shapes, ``operators`` says which
operators of a network a node becomes, and ``convert`` writes the network and a report.
"""
