namespace Faster;

/// <summary>
/// Specifies the name under which a store knows a field or a serialized type. A store opens only with fields of the
/// names, types and order that it was created with; this attribute keeps the old name of a renamed one.
/// </summary>
/// <param name="name">The name in the store.</param>
[AttributeUsage(
    AttributeTargets.Field | AttributeTargets.Property | AttributeTargets.Parameter | AttributeTargets.Class
    | AttributeTargets.Struct)]
public sealed class StoredAsAttribute(string name) : Attribute
{
    /// <summary>The name in the store.</summary>
    public string Name { get; } = name;
}
