namespace Faster;

/// <summary>
/// Generates a store in a static partial class: the generator infers the types of key, value, input, output and context
/// from the annotated methods, and writes a nested <c>Store</c> and <c>Session</c> with the user's code inlined (paper
/// 000 App. E).
/// </summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class StoreAttribute : Attribute
{
    /// <summary>Specifies what serializes concurrent updates of one record.</summary>
    public StoreConcurrency Concurrency { get; set; } = StoreConcurrency.Latched;

    /// <summary>
    /// The engine that keeps the records; <see cref="FasterEngine"/> if it is not set. What an engine cannot do is not
    /// generated.
    /// </summary>
    public Type? Engine { get; set; }

    /// <summary>
    /// Further engines, each with a store and a session of its own, such as <c>TieredStore</c> and
    /// <c>TieredSession</c> for <see cref="TieredEngine"/>: the same functions on several engines. The nested
    /// <c>IStore</c> and <c>ISession</c> have what all of them offer; <c>ICommittingStore</c> what those have that
    /// commit, if others do not.
    /// </summary>
    public Type[] Also { get; set; } = [];

    /// <summary>The type of the key; needed only if no annotated method determines it.</summary>
    public Type? Key { get; set; }

    /// <summary>The type of the value; needed only if no annotated method determines it.</summary>
    public Type? Value { get; set; }

    /// <summary>
    /// The <c>JsonSerializerContext</c> for keys, values and inputs that are neither unmanaged nor bytes nor strings.
    /// </summary>
    public Type? SerializerContext { get; set; }
}

/// <summary>Specifies what serializes concurrent updates of one record.</summary>
public enum StoreConcurrency
{
    /// <summary>
    /// The store serializes them: <c>total += amount</c> is correct. User functions run under the record's latch bit. A
    /// value of a primitive type of 1, 2, 4 or 8 bytes is updated by compare-and-swap instead, and its updater runs
    /// again if another update came first.
    /// </summary>
    Latched,

    /// <summary>
    /// The user's functions serialize them with their own atomics, or no two sessions access a key at the same time.
    /// </summary>
    User,
}
