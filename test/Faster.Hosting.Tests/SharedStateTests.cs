using System.Reflection;
using Faster.LogSessions;
using Faster.Sessions;
using Microsoft.Extensions.DependencyInjection;

namespace Faster.Hosting.Tests;

/// <summary>What a session has in common with the ended one that it is made of: nothing of its user.</summary>
public sealed class SharedStateTests
{
    // What belongs to the store, what says who holds it, and parts that only calls use, which an ended session refuses.
    private static readonly string[] Shared =
    [
        "Epochs", "Core", "_store", "Entry", "RecoveredPoint",
        "_attempt", "_batches", "Runner", "Pending", "_work",
    ];

    // The session's own place among the threads, and after how many operations HotRing samples.
    private static readonly string[] OfEach = ["Slot", "_untilDue"];

    public static TheoryData<string> Engines => Scopes.Engines;

    [Theory, MemberData(nameof(Engines))]
    public async Task Only_parts_that_calls_use_are_shared(string engine)
    {
        await using Scopes scopes = Scopes.Of(engine);
        Words.ISession ended = await scopes.RunAsync(async session =>
        {
            if (session is HashSession first)
            {
                first.TimeToLive = TimeSpan.FromHours(1);
                first.Committed += static _ => { };
                first.SetNextSerialNumber(1_000);
            }

            for (int i = 0; i < 10; i++) await session.RmwAsync($"{i}", 1);
            session.Rmw(["a", "b"], [1, 1]);
            await session.DeleteAsync("a");
        });
        await using AsyncServiceScope scope = scopes.Begin(out Words.ISession next);
        await using AsyncServiceScope other = scopes.Begin(out Words.ISession fresh); // of no other
        FieldInfo[] fields = [.. FieldsOf(next.GetType())];
        Assert.DoesNotContain(fields, field => field.DeclaringType == next.GetType()); // what is emitted has none
        Assert.Equal([], Named(field => IsShared(field, ended, next)).Except(Shared));
        Assert.Equal([], Named(field => IsShared(field, next, fresh)).Except(Shared));
        Assert.Equal([], Named(field => !field.FieldType.IsClass && !Equals(next, fresh, field)).Except(OfEach));
        return;

        IEnumerable<string> Named(Func<FieldInfo, bool> predicate) =>
            fields.Where(predicate).Select(static field => field.Name.TrimStart('<').Split('>')[0]);
    }

    private static bool IsShared(FieldInfo field, object one, object other) =>
        field.FieldType.IsClass && field.GetValue(one) is { } value && ReferenceEquals(value, field.GetValue(other));

    private static bool Equals(object one, object other, FieldInfo field) =>
        Equals(field.GetValue(one), field.GetValue(other));

    private static IEnumerable<FieldInfo> FieldsOf(Type? type) => type is null ? [] :
    [
        .. type.GetFields(
            BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly),
        .. FieldsOf(type.BaseType),
    ];
}
