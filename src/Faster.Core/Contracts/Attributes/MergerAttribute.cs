namespace Faster;

/// <summary>
/// Merges two partial values of a key: <c>static void F([key,] older, ref newer)</c>; for bytes
/// <c>static void F([key,] ReadOnlySpan&lt;byte&gt; older, ReadOnlySpan&lt;byte&gt; newer, IBufferWriter&lt;byte&gt;
/// merged)</c>. Its presence makes the store's read-modify-writes mergeable (CRDT; paper 000 §6.3).
/// </summary>
/// <remarks>
/// <para>A read-modify-write whose record is on disk then reads nothing: it begins a partial value of its own by the
/// <see cref="InitialUpdaterAttribute">InitialUpdater</see>, and reads merge the parts. So three things must hold.
/// Merging is associative and commutative. What the InitialUpdater makes is a partial value by itself. And to update a
/// value is to merge it with such a one: <c>update(value, input) = merge(value, initial(input))</c>.</para>
/// <para>It must do nothing but compute: it runs as often as the store needs. docs/MERGING.md is the guide.</para>
/// </remarks>
[AttributeUsage(AttributeTargets.Method)]
public sealed class MergerAttribute : Attribute;
