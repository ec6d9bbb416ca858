using System.ComponentModel;
using Faster.Contracts;

namespace Faster.Engines.HotRing;

/// <summary>What the opening of a HotRing store hands to the store that emitted code makes.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct HotRingStart
{
    internal HotRingStart(HotRingOptions options, RecordSchema schema) => (Options, Schema) = (options, schema);

    internal HotRingOptions Options { get; }

    internal RecordSchema Schema { get; }
}
