namespace Faster;

/// <summary>Marks the parameter of a transaction that receives the key of one of its records.</summary>
/// <param name="record">The name of the record's parameter: <c>[KeyOf(nameof(from))] long key</c>.</param>
[AttributeUsage(AttributeTargets.Parameter)]
public sealed class KeyOfAttribute(string record) : Attribute
{
    /// <summary>The name of the record's parameter.</summary>
    public string Record { get; } = record;
}
