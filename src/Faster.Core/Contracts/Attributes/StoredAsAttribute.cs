namespace Faster;

/// <summary>
/// The name that a field had, or a serialized type, when a store was made of it: a store opens only with fields of the
/// names, types and order that it was made with, so one that is renamed keeps its old name for the store by this.
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
