"""Word segmentation."""
