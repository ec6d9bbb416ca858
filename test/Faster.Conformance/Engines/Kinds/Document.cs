using System.Text.Json.Serialization;

namespace Faster.Conformance.Engines.Kinds;

/// <summary>A value that is decoded before a transaction and encoded after it.</summary>
public sealed class Document
{
    /// <summary>The lines.</summary>
    public List<string> Lines { get; init; } = [];
}

/// <summary>How it is encoded.</summary>
[JsonSerializable(typeof(Document))]
internal sealed partial class DocumentJson : JsonSerializerContext;
