namespace Faster;

/// <summary>
/// Marks a transaction: a static method that returns void or bool, whose signature is what it reads and writes. <c>ref
/// T</c> is a record that it writes, <c>in T</c> one that it reads, a parameter by value an input, and <c>out</c> its
/// output. The emitted method takes a record's key in the record's place, under the same name.
/// </summary>
/// <remarks>
/// <para><see cref="Records{T}"/> and <see cref="ReadOnlyRecords{T}"/> are sets of records, given by a span of keys;
/// <see cref="KeyOfAttribute"/> is the key of a record; <see cref="Transaction{TKey, TValue}"/> finds its records by
/// itself.</para>
/// <para>Of a type that can be null, null on entry is an absent record, and null on exit deletes it. Of another type,
/// an absent record reads as the type's default (a string or bytes: empty), and a <c>ref</c> creates it.</para>
/// <para>The method works on copies, which are installed when it has returned true, or returned at all if it is void.
/// False or an exception leaves everything as it was. It may run several times for one call, so it should do nothing
/// but compute.</para>
/// </remarks>
[AttributeUsage(AttributeTargets.Method)]
public sealed class TransactionAttribute : Attribute;
