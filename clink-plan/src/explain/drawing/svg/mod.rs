//! Writes a diagram as an SVG picture, laid out in layers from top to bottom.
//!
//! Steps:  `sketch` measures the text and makes a node of each frame; `layers` gives every node a
//!         layer; `mesh` breaks arrows into links between neighbouring layers and gives every
//!         label a point of its own; `order` sorts each layer; `dock` decides where arrows meet
//!         their nodes; `place` finds coordinates, `straighten` takes bends out; `route` leads the
//!         arrows; `pack` puts parts that nothing joins side by side; `compose` adds title and
//!         comments; `write` prints.
//! Limit:  nothing recurses, and twice the drawing takes about twice the work: sweeps are fewer
//!         in large drawings, and long arrows go round where they would pass too many layers.
//! Source: Sugiyama, Tagawa and Toda 1981, "Methods for Visual Understanding of Hierarchical
//!         System Structures"; Gansner et al. 1993, "A Technique for Drawing Directed Graphs".

mod bands;
mod compose;
mod dock;
mod lane;
mod layers;
mod layout;
mod measure;
mod mesh;
mod node;
mod order;
mod pack;
mod place;
mod route;
mod sketch;
mod straighten;
mod table;
mod write;

#[cfg(test)]
mod tests;

use self::layout::Layout;
use self::mesh::Mesh;
use self::route::Router;
use self::sketch::Sketch;
use super::Drawing;

/// The diagram as text.
pub(super) fn write(drawing: &Drawing) -> String {
    write::write(drawing, &layout(drawing))
}

/// Finds a place for everything.
fn layout(drawing: &Drawing) -> Layout {
    let mut sketch = Sketch::of(drawing);
    let layers = layers::layers(&mut sketch);
    sketch.sort_edges();
    let mut mesh = Mesh::of(&sketch, &layers);
    let order = order::order(&mut mesh);
    let docks = dock::docks(&sketch, &mut mesh, &order);
    let (xs, parts) = place::place(&sketch, &mesh, &order, &docks);
    let round = |edges: &[usize]| {
        let courses = edges.iter().filter_map(|&at| mesh.courses.get(at));
        route::round_width(courses.filter(|course| course.round).count())
    };
    let sizes: Vec<(f64, f64)> = (parts.iter().zip(&mesh.parts))
        .map(|(places, part)| (places.width + round(&part.edges), places.height))
        .collect();
    let (corners, size) = pack::pack(&sizes);
    let (mut layout, origin) = compose::page(drawing, size);
    for ((places, part), corner) in parts.iter().zip(&mesh.parts).zip(corners) {
        let (sketch, mesh, xs, corner) = (&sketch, &mesh, &xs, corner.from(origin));
        let mut router = Router { sketch, mesh, xs, part: places, corner, round: 0.0 };
        for &at in &part.edges {
            if let (Some(edge), Some(course), Some(docks)) =
                (sketch.edges.get(at), mesh.courses.get(at), docks.edges.get(at))
            {
                layout.set_arrow(edge.arrow, router.way(edge, course, docks));
            }
        }
        for &id in &part.nodes {
            layout.set_node(sketch, id, &docks, router.origin(Mesh::node(id)));
        }
    }
    layout
}
